import type { Log } from "../log.ts";
import { type Caught, finding, ignored } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { type Section, headings, lastBefore, sections } from "./sections.ts";

/** Jest: `● suite › test` below `FAIL file`. */
export const jest: Parser = { name: "jest", kind: "test", parse };

const FILE = /^\s*(?:FAIL|PASS)\s+(?:\S+\s+)?(?<file>\S+\.\w+)(?: \([\d.]+ m?s\))?$/;
const FAILURE = /^\s{2}● (?<test>.+)$/;
const END =
  /^(?:\s*(?:PASS|FAIL)\s+\S|Test Suites: |Summary of all failing tests|Snapshot Summary| › \d+ snapshot)/;

function parse({ lines, beginning }: Log): readonly Finding[] {
  const files = headings(lines, beginning("FAIL", "PASS"), FILE);
  return sections(lines, beginning("● "), { start: FAILURE, end: END }).map((section) => {
    const { heading, from, to } = section;
    if (heading["test"] === "Console") return ignored(from, to);
    return finding(() => describe(section, lastBefore(files, from)?.heading["file"]), from, to);
  });
}

function describe({ heading, body }: Section, testFile: string | undefined): Caught {
  const isSuite = heading["test"] === "Test suite failed to run";
  const caught = readFailureBody(isSuite ? belowDetails(body) : body, { testFile });
  const test = isSuite ? undefined : heading["test"];
  const { said = "", ...place } = SYNTAX_ERROR.exec(caught.message ?? "")?.groups ?? {};
  const placed = said === "" ? {} : { ...place, message: `SyntaxError: ${said}` };
  return { ...caught, file: caught.file ?? testFile, test, ...placed };
}

const SYNTAX_ERROR = /SyntaxError: (?<file>\/\S+?|[A-Z]:\S+?): (?<said>.*) \((?<line>\d+):(?<column>\d+)\)/;

/** Jest explains at length what a syntax error may mean; the error itself stands below "Details:". */
function belowDetails(body: readonly string[]): readonly string[] {
  return body.slice(body.findIndex((line) => line.trim() === "Details:") + 1);
}
