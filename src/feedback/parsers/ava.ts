import type { Log } from "../log.ts";
import { type Caught, finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { headings } from "./sections.ts";

/** AVA: first the list of tests with `✘ [fail]: name`, then each name again with its failure below. */
export const ava: Parser = { name: "ava", kind: "test", parse };

const LISTED =
  /^\s*[✘✖] \[fail\]: (?<test>.+?)(?: (?:Error thrown in test|Rejected promise returned by test))?$/;
const LONGEST = 400;
const SOURCE = /^\s*(?:(?<file>\S+\.[cm]?[jt]sx?):\d+|\d+: .*)$/;

function parse({ lines, beginning }: Log): readonly Finding[] {
  const listed = headings(lines, beginning("✘ [fail]", "✖ [fail]"), LISTED);
  const waiting = new Set(listed.map(({ heading }) => heading["test"] ?? ""));
  const firstCharacters = new Set([...waiting].map((test) => test.charAt(0)));
  return beginning(...firstCharacters).flatMap((from) => {
    const test = lines[from]?.trim() ?? "";
    if (!waiting.delete(test)) return [];
    const to = endOfFailure(lines, from + 1);
    return [finding(() => ({ ...describe(lines.slice(from + 1, to)), test }), from, to)];
  });
}

/** Two blank lines, or a rule, stand between failures. */
function endOfFailure(lines: readonly string[], start: number): number {
  let end = start;
  while (end < lines.length && end - start < LONGEST && !isGap(lines[end] ?? "", lines[end + 1] ?? ""))
    end += 1;
  return end;
}

function isGap(line: string, next: string): boolean {
  return (line.trim() === "" && next.trim() === "") || /^\s*─+$/.test(line);
}

function describe(body: readonly string[]): Caught {
  const testFile = body.map((line) => SOURCE.exec(line)?.groups?.["file"]).find((file) => file !== undefined);
  return readFailureBody(
    body.filter((line) => !SOURCE.test(line)),
    { testFile },
  );
}
