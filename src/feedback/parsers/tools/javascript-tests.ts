import type { Lines } from "../../text/lines.ts";
import type { Log } from "../../log.ts";
import { type Caught, type Finding, type Parser, finding, ignored } from "../parser.ts";
import { readFailureBody } from "../failure-body.ts";
import { type Section, headings, lastBefore, sections, toFinding } from "../sections.ts";

/** AVA: first the list of tests with `✘ [fail]: name`, then each name again with its failure below. */
export const ava: Parser = { name: "ava", kind: "test", parse: parseAva };

const LISTED =
  /^\s*[✘✖] \[fail\]: (?<test>.+?)(?: (?:Error thrown in test|Rejected promise returned by test))?$/;
const LONGEST = 400;
const SOURCE = /^\s*(?:(?<file>\S+\.[cm]?[jt]sx?):\d+|\d+: .*)$/;

function parseAva({ lines, beginning }: Log): readonly Finding[] {
  const listed = headings(lines, beginning("✘ [fail]", "✖ [fail]"), LISTED);
  const waiting = new Set(listed.map(({ heading }) => heading["test"] ?? ""));
  const firstCharacters = new Set([...waiting].map((test) => test.charAt(0)));
  return beginning(...firstCharacters).flatMap((from) => {
    const test = lines.at(from).trim() ?? "";
    if (!waiting.delete(test)) return [];
    const to = endOfFailure(lines, from + 1);
    return [finding(() => ({ ...describeAva(lines.slice(from + 1, to)), test }), from, to)];
  });
}

/** Two blank lines, or a rule, stand between failures. */
function endOfFailure(lines: Lines, start: number): number {
  let end = start;
  while (end < lines.length && end - start < LONGEST && !isGap(lines.at(end), lines.at(end + 1))) end += 1;
  return end;
}

function isGap(line: string, next: string): boolean {
  return (line.trim() === "" && next.trim() === "") || /^\s*─+$/.test(line);
}

function describeAva(body: readonly string[]): Caught {
  const testFile = body.map((line) => SOURCE.exec(line)?.groups?.["file"]).find((file) => file !== undefined);
  return readFailureBody(
    body.filter((line) => !SOURCE.test(line)),
    { testFile },
  );
}

/** Jest: `● suite › test` below `FAIL file`. */
export const jest: Parser = { name: "jest", kind: "test", parse: parseJest };

const FILE = /^\s*(?:FAIL|PASS)\s+(?:\S+\s+)?(?<file>\S+\.\w+)(?: \([\d.]+ m?s\))?$/;
const FAILURE = /^\s{2}● (?<test>.+)$/;
const JEST_END =
  /^(?:\s*(?:PASS|FAIL)\s+\S|Test Suites: |Summary of all failing tests|Snapshot Summary| › \d+ snapshot)/;

function parseJest({ lines, beginning }: Log): readonly Finding[] {
  const files = headings(lines, beginning("FAIL", "PASS"), FILE);
  return sections(lines, beginning("● "), { start: FAILURE, end: JEST_END }).map((section) => {
    const { heading, from, to } = section;
    if (heading["test"] === "Console") return ignored(from, to);
    return finding(() => describeJest(section, lastBefore(files, from)?.heading["file"]), from, to);
  });
}

function describeJest({ heading, body }: Section, testFile: string | undefined): Caught {
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

/** Mocha (and Cypress): numbered failures after `N failing`, each with its nested title. */
export const mocha: Parser = { name: "mocha", kind: "test", parse: parseMocha };

const NUMBERED = /^\s{2}\d+\) (?<title>.+)$/;
const LONGEST_TITLE = 8;
/** Assertion messages may stand at the margin; what other programs print ends the last failure. */
const MOCHA_END = /^(?:npm (?:error|ERR!)|error |> |=+ )/;

function parseMocha({ lines, numbered }: Log): readonly Finding[] {
  const start = numbered.findLastIndex((line) => /^\s*\d+ failing$/.test(lines.at(line)));
  if (start === -1) return [];
  return sections(lines, numbered.slice(start), { start: NUMBERED, end: MOCHA_END })
    .filter((section) => endOfTitle(section) >= 0)
    .map(toFinding(describeMocha));
}

/** The title goes on, one name for each line, up to a line that ends with a colon; -1 where none does. */
function endOfTitle({ heading, body }: Section): number {
  if (heading["title"]?.endsWith(":") === true) return 0;
  const end = body.findIndex((line) => /:\s*$/.test(line)) + 1;
  return end === 0 || end > LONGEST_TITLE ? -1 : end;
}

function describeMocha(section: Section): Caught {
  const { heading, body } = section;
  const titleEnd = endOfTitle(section);
  const names = [heading["title"] ?? "", ...body.slice(0, titleEnd)].map((name) => name.trim());
  const caught = readFailureBody(body.slice(titleEnd));
  const inMessage = /\((?<file>\/\S+\.[cm]?[jt]sx?)\)$/.exec(caught.message ?? "")?.groups?.["file"];
  return { ...caught, file: caught.file ?? inMessage, test: names.join(" > ").replace(/:$/, "") };
}

/** node:test's spec reporter: `✖ name (1.2ms)` with the failure indented below, and again under "failing tests". */
export const nodeTest: Parser = { name: "node-test", kind: "test", parse: parseNodeTest };

const FAILED = /^(?<indent>\s*)✖ (?<test>.+?) \([\d.]+m?s\)$/;
const PLACE = /^\s*test at (?<file>\S+?):(?<line>\d+):(?<column>\d+)$/;

function parseNodeTest({ lines, beginning }: Log): readonly Finding[] {
  const marks = beginning("✖ ");
  const failed = headings(lines, marks, FAILED).map(({ heading, from }) => {
    const { indent = "", test = "" } = heading;
    const to = endOfBody(lines, from + 1, indent.length);
    return { from, to, test, body: lines.slice(from + 1, to) };
  });
  if (!failed.some(({ body }) => isTold(body))) return [];
  const startOf = (from: number): number => (PLACE.test(lines.at(from - 1)) ? from - 1 : from);
  const isHeading = (line: number): boolean => lines.at(line).trim() === "✖ failing tests:";
  return [
    ...marks.filter(isHeading).map((line) => ignored(line, line + 1)),
    ...failed.map(
      (one) =>
        isTold(one.body)
          ? finding(
              () => describeNodeTest(one.test, one.body, lines.at(one.from - 1)),
              startOf(one.from),
              one.to,
            )
          : ignored(one.from, one.to), // a suite is said to fail with its tests
    ),
  ];
}

function isTold(body: readonly string[]): boolean {
  return body.some((line) => line.trim() !== "");
}

function endOfBody(lines: Lines, start: number, indent: number): number {
  let end = start;
  while (end < lines.length && belongs(lines.at(end), indent)) end += 1;
  return end;
}

function belongs(line: string, indent: number): boolean {
  return (line.trim() === "" || line.search(/\S/) > indent) && !FAILED.test(line) && !PLACE.test(line);
}

/** A file that could not run is reported as a test with the file's name. */
function describeNodeTest(test: string, body: readonly string[], above: string): Caught {
  const place = PLACE.exec(above)?.groups;
  const caught = readFailureBody(withoutProperties(body), { testFile: place?.["file"] });
  if (/^[\w./\\:-]+\.[cm]?[jt]sx?$/.test(test)) return { ...caught, file: test };
  return caught.line === undefined ? { ...caught, ...place, test } : { ...caught, test };
}

/** An assertion's message shows the values already; the printed error repeats them. */
function withoutProperties(body: readonly string[]): readonly string[] {
  const start = body.findIndex((line) => /^\s*at .* \{$/.test(line));
  return start === -1 ? body : body.slice(0, start + 1);
}

/** Vitest: `FAIL file > suite > test`; where that part of the log is missing, the marks in the list of tests. */
export const vitest: Parser = {
  name: "vitest",
  kind: "test",
  parse: parseVitest,
};

const VITEST_FAILURE =
  /^\s*FAIL\s{2,}(?:\S+\s+)??(?<file>\S+\.[cm]?[jt]sx?)(?: > (?<test>.+?))?(?: \[ .* \])?$/;
const UNHANDLED = /^⎯+ Unhandled (?<kind>Error|Rejection|Exception) ⎯+$/;
const VITEST_END = /^⎯{3,}|^\s*(?:Test Files|Snapshots|Tests) {2}\d/;
const PRINTED = /^(?:stdout|stderr) \| (?<test>.*)$/;

function parseVitest(log: Log): readonly Finding[] {
  const { lines, beginning } = log;
  const failed = sections(lines, beginning("FAIL "), { start: VITEST_FAILURE, end: VITEST_END });
  const tests = new Set(failed.map(({ heading: { file, test } }) => `${file} > ${test}`));
  const unhandled = sections(lines, beginning("⎯"), { start: UNHANDLED, end: VITEST_END });
  const printed = sections(lines, beginning("stdout | ", "stderr | "), { start: PRINTED, end: /^\s*$/ });
  return [
    ...withSharedBodies(failed).map(({ section, told }) => failure(section, told)),
    ...unhandled.map((section) => failure(section, section)),
    ...onlyListed(log, failed),
    ...printed
      .filter(({ heading }) => !tests.has(heading["test"] ?? ""))
      .map(({ from, to }) => ignored(from, to)),
  ];
}

/** Tests that failed alike share one body, below the last of their names. */
function withSharedBodies(failed: readonly Section[]) {
  let below: { section: Section; told: Section } | undefined;
  return failed
    .toReversed()
    .map((section) => {
      const isEmpty = section.body.every((line) => line.trim() === "");
      const told = isEmpty && below?.section.from === section.to ? below.told : section;
      below = { section, told };
      return below;
    })
    .toReversed();
}

function failure(section: Section, told: Section): Finding {
  return finding(() => describeVitest(section, told.body), section.from, section.to);
}

function describeVitest({ heading: { file, test } }: Section, body: readonly string[]): Caught {
  const caught = readFailureBody(body, { testFile: file });
  return { ...caught, file: caught.file ?? file, test };
}

const VITEST_FILE = /^\s*(?:❯|×|✗|FAIL)\s+(?:\S+\s+)??(?<file>\S+\.[cm]?[jt]sx?)\s\(\d+ tests?.*$/;
const VITEST_LISTED = /^\s+[×✗]\s(?:(?<test>.+?)\s+)??(?:\d+m?s)?$/;

function onlyListed({ lines, beginning }: Log, told: readonly Section[]): readonly Finding[] {
  const titles = new Set(told.map(({ heading }) => lastName(heading["test"])));
  const files = sections(lines, beginning("❯", "×", "✗", "FAIL"), { start: VITEST_FILE, end: /^\S/ });
  return files.flatMap(({ heading, body, from }) =>
    body.flatMap((line, index) => {
      const listed = VITEST_LISTED.exec(line)?.groups;
      const test = listed?.["test"] ?? "";
      if (listed === undefined) return [];
      const at = from + 1 + index;
      if (titles.has(lastName(test))) return [ignored(at, at + 1)];
      const message = /^\s+→ (?<message>.*)$/.exec(body[index + 1] ?? "")?.groups?.["message"];
      return [finding(() => ({ ...heading, test, message }), at)];
    }),
  );
}

/** Without the spaces at the ends of a name, which one of the two lists drops. */
function lastName(test: string | undefined): string | undefined {
  return test?.split(" >").at(-1)?.trim();
}
