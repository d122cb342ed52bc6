import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import type { Section } from "./sections.ts";
import { sections } from "./sections.ts";

/** Jest: `● suite › test` below `FAIL file`. */
export const jest: Parser = { name: "jest", kind: "test", marks: ["● "], parse };

const FILE = /^\s*(?:FAIL|PASS)\s+(?:\S+\s+)?(?<file>\S+\.\w+)(?: \([\d.]+ m?s\))?$/;
const FAILURE = /^\s{2}● (?<test>.+)$/;
const END = /^(?:\s*(?:PASS|FAIL)\s+\S|Test Suites: |Summary of all failing tests| › \d+ snapshot)/;

function parse({ lines }: Log): readonly Finding[] {
  const files = sections(lines, FILE);
  return sections(lines, FAILURE, END).flatMap((section) => {
    const file = files.findLast(({ from }) => from < section.from)?.heading["file"];
    return section.heading["test"] === "Console" ? [] : [failure(section, file)];
  });
}

function failure({ heading, body, from, to }: Section, testFile: string | undefined): Finding {
  const isSuite = heading["test"] === "Test suite failed to run";
  const caught = readFailureBody(isSuite ? cause(body) : body, { testFile });
  const syntax =
    /^(?<message>.*?SyntaxError: )(?<file>\/\S+?|[A-Z]:\S+?): (?<rest>.*) \((?<line>\d+):(?<column>\d+)\)/.exec(
      caught.message ?? "",
    )?.groups;
  const placed =
    syntax === undefined
      ? caught
      : { ...caught, ...syntax, message: `${syntax["message"]}${syntax["rest"]}` };
  return finding({ file: testFile, ...placed, test: isSuite ? undefined : heading["test"] }, from, to);
}

/** Jest explains at length what a syntax error may mean; the error itself stands below "Details:". */
function cause(body: readonly string[]): readonly string[] {
  const details = body.findIndex((line) => line.trim() === "Details:");
  return body.slice(details + 1);
}
