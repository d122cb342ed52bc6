import { type Caught, trimBlankLines } from "./parser.ts";
import { isFileName } from "../text/placed-text.ts";

export interface BodyReading {
  /** The file the test is in, where the runner says so: its frame is the place of the failure. */
  readonly testFile?: string | undefined;
  /** Python prints the innermost frame last. */
  readonly innermostLast?: boolean;
}

export function readFailureBody(body: readonly string[], reading: BodyReading = {}): Caught {
  const frames: Frame[] = [];
  const spoken: string[] = [];
  for (const line of body) {
    const frame = frameOf(line);
    if (frame === undefined) spoken.push(line);
    else if (!frame.isForeign) frames.push(frame);
  }
  const inward = reading.innermostLast === true ? frames.toReversed() : frames;
  const place =
    inward.find(({ file }) => isSameFile(file, reading.testFile)) ?? inward.find(isInTest) ?? inward[0];
  const [message = "failed", ...rest] = withoutEmptyStart(trimBlankLines(spoken));
  return {
    file: place?.file ?? reading.testFile,
    line: place?.line,
    column: place?.column,
    message: withCause(message, place, inward[0]),
    excerpt: trimBlankLines(rest),
  };
}

/** A failure inside the code under test is repaired there, though the test is what failed. */
function withCause(message: string, place: Frame | undefined, cause: Frame | undefined): string {
  if (place === undefined || cause === undefined || spotOf(place) === spotOf(cause)) return message;
  return `${message} (at ${spotOf(cause)})`;
}

/** The ` (at file:line)` that `readFailureBody` put behind a message, for parsers with a better message. */
export function causeIn({ message = "" }: Caught): string {
  return / \(at [^()]+\)$/.exec(message)?.[0] ?? "";
}

export function isSameFile(file: string, testFile: string | undefined): boolean {
  if (testFile === undefined) return false;
  const [longer, shorter] = file.length > testFile.length ? [file, testFile] : [testFile, file];
  return longer === shorter || longer.endsWith(`/${shorter.replace(/^\.\//, "")}`);
}

function isInTest({ file }: Frame): boolean {
  return /(?:^|[/\\._-])(?:tests?|specs?|__tests__)(?=[/\\._-])|Test\.\w+$/i.test(file);
}

function withoutEmptyStart(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => /\w/.test(line));
  return first === -1 ? lines : lines.slice(first);
}

export interface Frame {
  readonly file: string;
  readonly line: string;
  readonly column?: string | undefined;
}

/** The frame a line shows, of the project or not. */
export function frameOf(line: string): (Frame & { readonly isForeign: boolean }) | undefined {
  for (const { holds, shape } of /(?::|line )\d/.test(line) ? FRAMES : []) {
    const {
      file,
      line: number,
      column,
    } = (line.includes(holds) ? shape.exec(line)?.groups : undefined) ?? {};
    if (file === undefined || number === undefined || !isFileName(file)) continue;
    return { file, line: number, column, isForeign: FOREIGN.test(file) || FOREIGN_CALL.test(line) };
  }
  return STACK_NOISE.test(line) ? { file: "", line: "0", isForeign: true } : undefined;
}

export function isForeignFile(file: string): boolean {
  return FOREIGN.test(file);
}

export function spotOf({ file, line }: Frame): string {
  return `${file.replace(/^(?:file:\/\/|\.\/)/, "")}:${line}`;
}

/** JavaScript, Vitest and AVA, Ruby, Python, Java and Clojure, Elixir, Go, pytest, PHP, C, Erlang, Perl: in this order. */
const FRAMES: readonly { readonly holds: string; readonly shape: RegExp }[] = [
  {
    holds: "at ",
    shape:
      /^\s*at (?:async )?(?:.*\()?(?<file>(?:file:\/\/)?[^\s()]+?):(?<line>\d+)(?::(?<column>\d+))?\)?(?: \{)?$/,
  },
  {
    holds: ":",
    shape: /^\s*[❯›] (?:.* )?\(?(?<file>(?:file:\/\/)?[^\s()]+?):(?<line>\d+):(?<column>\d+)\)?$/,
  },
  {
    holds: "# ",
    shape: /^\s*# (?<file>\S+?):(?<line>\d+)(?::in .*)?$/,
  },
  {
    holds: ".rb:",
    shape: /^\s*(?:from )?(?<file>\S+\.rb):(?<line>\d+):in .*$/,
  },
  {
    holds: 'File "',
    shape: /^\s*File "(?<file>[^"]+)", line (?<line>\d+)/,
  },
  {
    holds: "(",
    shape: /^\s*(?:at )?[\w$./<>-]+ ?\((?<file>[\w$-]+\.(?:java|clj[cs]?|kt|scala|groovy)):(?<line>\d+)\)$/,
  },
  {
    holds: ".ex",
    shape: /^\s*(?:\([\w.]+ [\d.]+[\w.-]*\) )?(?<file>\S+\.exs?):(?<line>\d+): .*$/,
  },
  {
    holds: ".go:",
    shape: /^\s+(?<file>\S+\.go):(?<line>\d+)(?: \+0x[\da-f]+)?$/,
  },
  {
    holds: ".py",
    shape: /^(?<file>\S+\.pyx?):(?<line>\d+): (?:in .*|\w*)$/,
  },
  {
    holds: ".ph",
    shape: /^\s*(?:│ +)?(?<file>\/?[\w./\\-]+\.(?:php|phpt)):(?<line>\d+)$/,
  },
  {
    holds: "#",
    shape:
      /^\s*#\d+ (?:0x[\da-f]+ )?(?:in )?.*? (?<file>[^\s():]+):(?<line>\d+)(?::(?<column>\d+))?(?: \(.*\))?$/,
  },
  {
    holds: "0x",
    shape: /^\s*(?:at|by) 0x[\dA-F]+: .*\((?<file>[^\s():]+):(?<line>\d+)\)$/,
  },
  {
    holds: ", line ",
    shape: /^\s*in (?:function|call from) .*\((?<file>[^\s,()]+), line (?<line>\d+)\)$/,
  },
  {
    holds: " line ",
    shape: /^#?\s*at (?<file>\S+) line (?<line>\d+)\.?$/,
  },
];

/** What calls a test, where only the name of the file is shown. */
const FOREIGN_CALL =
  /^\s*(?:at )?(?:java|javax|jdk|sun|org\.junit|junit|org\.testng|org\.hamcrest|org\.opentest4j|org\.gradle|org\.apache\.maven|org\.assertj|kotlin|scala|clojure|groovy|org\.codehaus\.groovy)[./]|^\s*in (?:function|call from) (?:eunit|test_server|proc_lib|gen)/;

/** Runtimes, standard libraries, installed packages and test frameworks: nothing the agent can repair. */
const FOREIGN =
  /node_modules|^node:|(?:^|\/)internal\/|(?:site|dist)-packages|\/lib\/python\d|^<frozen|\/usr\/(?:local\/)?lib|\/usr\/share|\/rustc\/|\.cargo\/registry|\/go(?:-[\d.]+)?\/src\/|\/gems\/|\/rubies\/|\/vendor\/(?!.*\.go)|^phar:|NO_SOURCE_FILE|\/\.pnpm\/|\/\.yarn\/|^\.\.\/(?:sysdeps|csu)\/|libsanitizer\/|^<Jasmine>|^ext:/;

const STACK_NOISE =
  /^\s*at (?:(?:async |new )?[\w$.<>[\] #]+ ?)?\(?(?:<anonymous>|native|node:[\w/]+|internal\/[\w/.]+|index \d+)(?::\d+)*\)?(?: \{)?$|^\s*at (?:async )?node:[\w/:]+|^\s*(?:\^|~)+\s*$/;
