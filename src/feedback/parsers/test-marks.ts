import type { Log } from "../log.ts";
import { findPlace } from "../text/placed-text.ts";
import { lastBelow } from "./sections.ts";

/** A line that says that a test failed, or begins, or ends well. */
export interface Mark {
  readonly index: number;
  /** Absent where no test failed: the line only ends what was said before. */
  readonly test?: string;
  readonly form: number;
}

/** Whether a form is used for other things too, so that an explanation must show that a test is meant. */
export function needsEvidence(form: number): boolean {
  return FORMS[form]?.needsEvidence ?? true;
}

/** Every mark that no parser has read, in order; failures that were expected have none. */
export function findMarks(log: Log, isReadBefore: (line: number) => boolean): readonly Mark[] {
  const expected = expectedFailures(log);
  const isRead = (line: number) => isReadBefore(line) || expected(line);
  const { lines, beginning, numbered } = log;
  const marks: Mark[] = [];
  FORMS.forEach(({ words, shape }, form) => {
    for (const index of words.length === 0 ? numbered : beginning(...words)) {
      const test = shape.exec(lines[index] ?? "")?.groups?.["test"];
      if (test !== undefined && !COUNT.test(test) && !isRead(index)) marks.push({ index, test, form });
    }
  });
  for (const index of beginning("[", "(", "✓", "✔", "ok ", "PASS", "===", "---"))
    if (BEGINS_OR_PASSED.test(lines[index] ?? "")) marks.push({ index, form: -1 });
  return marks.concat(endedBadly(log, isRead)).toSorted((one, other) => one.index - other.index);
}

function endedBadly({ lines }: Log, isRead: (line: number) => boolean): readonly Mark[] {
  const marks: Mark[] = [];
  lines.forEach((line, index) => {
    const form = ENDINGS.get(line.charCodeAt(line.length - 1));
    if (form === undefined || !HINTS[form]?.some((hint) => line.includes(hint)) || isRead(index)) return;
    const test = SHAPES_BY_END[form]?.exec(line)?.groups?.["test"];
    if (test === undefined || COUNT.test(test) || findPlace(test) !== undefined) return;
    marks.push({ index, test, form: FORMS.length + form });
  });
  return marks;
}

/** Below `Pending:` or `There was 1 skipped test:` tests are listed that failed as expected, or did not run. */
function expectedFailures({ lines, beginning }: Log): (line: number) => boolean {
  const headings = beginning(
    "Pending",
    "Skipped",
    "Expected",
    "Known",
    "There w",
    "Failures",
    "Failed",
    "Errors",
    "Finished",
  );
  const known = headings.filter((one) => /:|^Finished/.test(lines[one] ?? ""));
  return (line) => {
    const last = lastBelow(known, line);
    return last !== undefined && EXPECTED.test(lines[last] ?? "");
  };
}

const EXPECTED =
  /^(?:Pending|Skipped|Expected failures|Known failures)[\w ]*:|^There (?:was|were) \d+ (?:skipped|risky|incomplete|pending)/;

interface Form {
  /** How such a line begins; with a number when empty. */
  readonly words: readonly string[];
  readonly shape: RegExp;
  readonly needsEvidence: boolean;
}

/** How runners mark a failed test. Those that others use for other things must be followed by an explanation. */
const FORMS: readonly Form[] = [
  {
    words: ["["],
    shape: /^\s*\[ *(?:FAILED|FAIL) *\]:? (?<test>\S.*?)(?:, where .*)?(?: \(\d+ ms\))?$/,
    needsEvidence: false,
  },
  { words: ["(fail) "], shape: /^\s*\(fail\) (?<test>.+?)(?: \[[\d.]+m?s\])?$/, needsEvidence: false },
  { words: ["FAIL"], shape: /^\s*FAIL(?:ED|URE)?(?:: | {2,}| (?=["']))(?<test>\S.*?)$/, needsEvidence: true },
  { words: [], shape: /^\s{0,8}\d{1,5}\) (?<test>\S.*)$/, needsEvidence: true },
  {
    words: ["Failure -> ", "Error -> ", "Failure → ", "Error → "],
    shape: /^(?<test>Failure|Error) (?:->|→) \S+ @ \d+$/,
    needsEvidence: true,
  },
  {
    words: ["Failure: ", "Error: "],
    shape: /^(?:Failure|Error): (?<test>[\w?!]+\([\w:]+\))(?:$|:.*$)/,
    needsEvidence: true,
  },
  {
    words: ["MethodSource ["],
    shape: /^\s*MethodSource \[.*methodName = '(?<test>[^']+)'.*\]$/,
    needsEvidence: true,
  },
  { words: ["#"], shape: /^\s*# +Failed test '(?<test>.*)'$/, needsEvidence: false },
  {
    words: ["✗ ", "✘ ", "✖ ", "× "],
    shape: /^\s*[✗✘✖×] (?<test>\S.*?)(?: \[?\(?[\d.]+ ?m?s\)?\]?)?$/,
    needsEvidence: true,
  },
  {
    words: ["Testcase: "],
    shape: /^\s*Testcase: (?<test>\S+?)(?:\(\S+\))?(?: took .*|:.*)$/,
    needsEvidence: true,
  },
];

const ENDED_BADLY =
  /^\s*(?<test>\S.{0,200}?)(?:\s*\.{2,}\s*\*{0,3}(?:FAILED|failed|FAIL)\*{0,3}|(?:: | {2,}| )(?:FAILED|FAIL))$/;
const COUNT =
  /^(?:\d+ (?:tests?|test\(s\)|of|out|problems?|errors?|warnings?|failed|failing|issues?|modules?|packages?)\b|\d+\/\d+ |\S+: \d+ test|.*listed below|\S+\.(?:o|obj|a|so|exe|stamp|d)$|BUILD$|TESTS?$|Result:|npm )|^\d+$|^[\w.\s]{0,30}: \d+/;

/** That a test begins or ended well: nothing said before it belongs to what comes after. */
const BEGINS_OR_PASSED =
  /^\s*(?:\[ *(?:RUN|OK|PASSED|SKIPPED|-+|=+|Suite) *\]|\(pass\)|\(skip\)|✓|✔|ok \d|PASS(?:ED)?[: ]|=== RUN|--- PASS|\d+ pass$)/;

/** Told apart by their last character, so that most lines cost nothing: `name ... FAILED`, `name ... FAILED (2ms)`, `name => file:1:2`. */
const SHAPES_BY_END: readonly RegExp[] = [
  ENDED_BADLY,
  /^\s*(?<test>\S.{0,200}?)(?:\s*\.{2,}\s*| )(?:FAILED|FAIL) \([\d.]+ ?m?s\)$/,
  /^\s*(?<test>\S.{0,200}?) (?:=>|→|@|-->) \S+:\d+(?::\d+)?$/,
];
/** What a line of each shape holds. */
const HINTS: readonly (readonly string[])[] = [["FAIL", "failed"], ["FAIL"], [" => ", " → ", " @ ", " --> "]];
const ENDINGS: ReadonlyMap<number, number> = new Map([
  ..."DdL*".split("").map((character) => [character.charCodeAt(0), 0] as const),
  [")".charCodeAt(0), 1],
  ..."0123456789".split("").map((character) => [character.charCodeAt(0), 2] as const),
]);
