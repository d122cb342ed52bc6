import { type Caught, trimBlankLines } from "./compose.ts";
import { type Frame, frameOf, spotOf } from "./frames.ts";

export interface BodyReading {
  /** The file the test is in, where the runner says so: its frame is the place of the failure. */
  readonly testFile?: string | undefined;
  /** Python prints the innermost frame last. */
  readonly innermostLast?: boolean;
}

/** What stands below the name of a failed test: its message, its place, and what helps to understand it. */
export function readFailureBody(body: readonly string[], reading: BodyReading = {}): Caught {
  const read = body.map((line) => ({ line, frame: frameOf(line) }));
  const frames = read.flatMap(({ frame }) => (frame === undefined || frame.isForeign ? [] : [frame]));
  const inward = reading.innermostLast === true ? frames.toReversed() : frames;
  const place =
    inward.find(({ file }) => isSameFile(file, reading.testFile)) ?? inward.find(isInTest) ?? inward[0];
  const told = trimBlankLines(read.flatMap(({ line, frame }) => (frame === undefined ? [line] : [])));
  const [message = "failed", ...rest] = withoutEmptyStart(told);
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

/** Whether two spellings end in the same file. */
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
