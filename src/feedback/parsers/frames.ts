import { isFileName } from "../placed-text.ts";

/** One stack frame that lies in the project. */
export interface Frame {
  readonly file: string;
  readonly line: string;
  readonly column?: string | undefined;
}

/** The frame a line shows, of the project or not. */
export function frameOf(line: string): (Frame & { readonly isForeign: boolean }) | undefined {
  for (const shape of /(?::|line )\d/.test(line) ? FRAMES : []) {
    const { file, line: number, column } = shape.exec(line)?.groups ?? {};
    if (file === undefined || number === undefined || !isFileName(file)) continue;
    return { file, line: number, column, isForeign: FOREIGN.test(file) };
  }
  return STACK_NOISE.test(line) ? { file: "", line: "0", isForeign: true } : undefined;
}

/** `file:line`, for a message. */
export function spotOf({ file, line }: Frame): string {
  return `${file.replace(/^(?:file:\/\/|\.\/)/, "")}:${line}`;
}

/** JavaScript, Vitest and AVA, Ruby, Python, Java and Clojure, Elixir, Go, pytest, PHP: in this order. */
const FRAMES = [
  /^\s*at (?:async )?(?:.*\()?(?<file>(?:file:\/\/)?[^\s()]+?):(?<line>\d+)(?::(?<column>\d+))?\)?(?: \{)?$/,
  /^\s*[❯›] (?:.* )?\(?(?<file>(?:file:\/\/)?[^\s()]+?):(?<line>\d+):(?<column>\d+)\)?$/,
  /^\s*# (?<file>\S+?):(?<line>\d+)(?::in .*)?$/,
  /^\s*File "(?<file>[^"]+)", line (?<line>\d+)/,
  /^\s*(?:at )?[\w$./<>-]+ ?\((?<file>[\w$-]+\.(?:java|clj[cs]?|kt|scala|groovy)):(?<line>\d+)\)$/,
  /^\s*(?:\([\w.]+ [\d.]+[\w.-]*\) )?(?<file>\S+\.exs?):(?<line>\d+): .*$/,
  /^\s+(?<file>\S+\.go):(?<line>\d+)(?: \+0x[\da-f]+)?$/,
  /^(?<file>\S+\.pyx?):(?<line>\d+): (?:in .*|\w*)$/,
  /^\s*(?:│ +)?(?<file>\/?[\w./\\-]+\.(?:php|phpt)):(?<line>\d+)$/,
] as const;

/** Runtimes, standard libraries, installed packages and test frameworks: nothing the agent can repair. */
const FOREIGN =
  /node_modules|^node:|(?:^|\/)internal\/|(?:site|dist)-packages|\/lib\/python\d|^<frozen|\/usr\/(?:local\/)?lib|\/usr\/share|\/rustc\/|\.cargo\/registry|\/go(?:-[\d.]+)?\/src\/|\/gems\/|\/rubies\/|\/vendor\/(?!.*\.go)|^phar:|NO_SOURCE_FILE|\/\.pnpm\/|\/\.yarn\//;

const STACK_NOISE =
  /^\s*at (?:(?:async |new )?[\w$.<>[\] #]+ ?)?\(?(?:<anonymous>|native|node:[\w/]+|internal\/[\w/.]+|index \d+)(?::\d+)*\)?(?: \{)?$|^\s*at (?:async )?node:[\w/:]+|^\s*(?:\^|~)+\s*$/;
