import type { Log } from "../../log.ts";
import { TRAIT } from "../../text/line-traits.ts";
import { findPlace } from "../../text/placed-text.ts";
import { lastBelow } from "../sections.ts";

/** Which lines say that a test failed, or begins, or ends well: numbers only, for a log may have a hundred thousand of them. */
export interface Marks {
  /** For each line the form of its mark; 0 where it has none, `FINE` where no test failed and it only ends what was said before. */
  readonly formAt: Uint8Array;
  /** The lines on which tests failed, in order; those forms first that come first. */
  readonly failed: readonly { readonly form: number; readonly lines: readonly number[] }[];
}

const FINE = 255;

/** Whether a form is used for other things too, so that an explanation must show that a test is meant. */
export function needsEvidence(form: number): boolean {
  return FORMS[form - 1]?.needsEvidence ?? true;
}

export function nameIn(line: string, form: number): string {
  return shapeOf(form)?.exec(line)?.[1] ?? "";
}

function shapeOf(form: number): RegExp | undefined {
  return FORMS[form - 1]?.shape ?? SHAPES_BY_END[form - 1 - FORMS.length];
}

/** Every mark that no parser has read; failures that were expected have none. */
export function findMarks(log: Log, isReadBefore: (line: number) => boolean): Marks {
  const expected = expectedFailures(log);
  const isRead = (line: number) => isReadBefore(line) || expected(line);
  const { lines, beginning, numbered } = log;
  const formAt = new Uint8Array(lines.length);
  const byForm = FORMS.map(({ words, shape }, order) => {
    const candidates = words.length === 0 ? numbered : beginning(...words);
    const marked = candidates.filter((index) => {
      if (formAt[index] !== 0 || isRead(index)) return false;
      const test = shape.exec(lines.at(index))?.[1];
      return test !== undefined && !COUNT.test(test);
    });
    for (const index of marked) formAt[index] = order + 1;
    return { form: order + 1, lines: marked };
  });
  for (const index of beginning("[", "(", "✓", "✔", "ok ", "PASS", "===", "---"))
    if (formAt[index] === 0 && BEGINS_OR_PASSED.test(lines.at(index))) formAt[index] = FINE;
  const failed = [...byForm, ...endedBadly(log, isRead, formAt)].filter(
    ({ lines: { length } }) => length > 0,
  );
  return { formAt, failed: failed.toSorted((one, other) => (one.lines[0] ?? 0) - (other.lines[0] ?? 0)) };
}

function endedBadly({ lines }: Log, isRead: (line: number) => boolean, formAt: Uint8Array): Marks["failed"] {
  const byEnd = SHAPES_BY_END.map((_, order) => ({
    form: FORMS.length + 1 + order,
    lines: new Array<number>(),
  }));
  for (let index = 0; index < lines.length; index += 1) {
    if (!lines.may(index, TRAIT.fail | TRAIT.arrow) || formAt[index] !== 0 || isRead(index)) continue;
    const end = ENDINGS.get(lines.codeAt(index, lines.lengthOf(index) - 1)) ?? -1;
    if (end === -1 || !hasBadEnd(lines.at(index), end)) continue;
    formAt[index] = FORMS.length + 1 + end;
    byEnd[end]?.lines.push(index);
  }
  return byEnd;
}

function hasBadEnd(line: string, end: number): boolean {
  if (HINTS[end]?.some((hint) => line.includes(hint)) !== true) return false;
  const test = SHAPES_BY_END[end]?.exec(line)?.[1];
  return test !== undefined && !COUNT.test(test) && findPlace(test) === undefined;
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
  const known = headings.filter((one) => /:|^Finished/.test(lines.at(one)));
  const expected = new Set(known.filter((one) => EXPECTED.test(lines.at(one))));
  if (expected.size === 0) return () => false;
  return (line) => expected.has(lastBelow(known, line) ?? -1);
}

const EXPECTED =
  /^(?:Pending|Skipped|Expected failures|Known failures)[\w ]*:|^There (?:was|were) \d+ (?:skipped|risky|incomplete|pending)/;

interface Form {
  readonly words: readonly string[];
  readonly shape: RegExp;
  readonly needsEvidence: boolean;
}

/** How runners mark a failed test. Those that others use for other things must be followed by an explanation. */
const FORMS: readonly Form[] = [
  {
    words: ["["],
    shape: /^\s*\[ *(?:FAILED|FAIL) *\]:? (\S.*?)(?:, where .*)?(?: \(\d+ ms\))?$/,
    needsEvidence: false,
  },
  { words: ["(fail) "], shape: /^\s*\(fail\) (.+?)(?: \[[\d.]+m?s\])?$/, needsEvidence: false },
  { words: ["FAIL"], shape: /^\s*FAIL(?:ED|URE)?(?:: | {2,}| (?=["']))(\S.*?)$/, needsEvidence: true },
  { words: [], shape: /^\s{0,8}\d{1,5}\) (\S.*)$/, needsEvidence: true },
  {
    words: ["Failure -> ", "Error -> ", "Failure → ", "Error → "],
    shape: /^(Failure|Error) (?:->|→) \S+ @ \d+$/,
    needsEvidence: true,
  },
  {
    words: ["Failure: ", "Error: "],
    shape: /^(?:Failure|Error): ([\w?!]+\([\w:]+\))(?:$|:.*$)/,
    needsEvidence: true,
  },
  {
    words: ["MethodSource ["],
    shape: /^\s*MethodSource \[.*methodName = '([^']+)'.*\]$/,
    needsEvidence: true,
  },
  { words: ["#"], shape: /^\s*# +Failed test '(.*)'$/, needsEvidence: false },
  {
    words: ["✗ ", "✘ ", "✖ ", "× "],
    shape: /^\s*[✗✘✖×] (\S.*?)(?: \[?\(?[\d.]+ ?m?s\)?\]?)?$/,
    needsEvidence: true,
  },
  {
    words: ["Testcase: "],
    shape: /^\s*Testcase: (\S+?)(?:\(\S+\))?(?: took .*|:.*)$/,
    needsEvidence: true,
  },
];

const ENDED_BADLY =
  /^\s*(\S.{0,200}?)(?:\s*\.{2,}\s*\*{0,3}(?:FAILED|failed|FAIL)\*{0,3}|(?:: | {2,}| )(?:FAILED|FAIL))$/;
const COUNT =
  /^(?:\d+ (?:tests?|test\(s\)|of|out|problems?|errors?|warnings?|failed|failing|issues?|modules?|packages?)\b|\d+\/\d+ |\S+: \d+ test|.*listed below|\S+\.(?:o|obj|a|so|exe|stamp|d)$|BUILD$|Build failed\b|TESTS?$|Result:|npm )|^\d+$|^[\w.\s]{0,30}: \d+/;

/** That a test begins or ended well: nothing said before it belongs to what comes after. */
const BEGINS_OR_PASSED =
  /^\s*(?:\[ *(?:RUN|OK|PASSED|SKIPPED|-+|=+|Suite) *\]|\(pass\)|\(skip\)|✓|✔|ok \d|PASS(?:ED)?[: ]|=== RUN|--- PASS|\d+ pass$)/;

/** Told apart by their last character, so that most lines cost nothing: `name ... FAILED`, `name ... FAILED (2ms)`, `name => file:1:2`. */
const SHAPES_BY_END: readonly RegExp[] = [
  ENDED_BADLY,
  /^\s*(\S.{0,200}?)(?:\s*\.{2,}\s*| )(?:FAILED|FAIL) \([\d.]+ ?m?s\)$/,
  /^\s*(\S.{0,200}?) (?:=>|→|@|-->) \S+:\d+(?::\d+)?$/,
];
const HINTS: readonly (readonly string[])[] = [["FAIL", "failed"], ["FAIL"], [" => ", " → ", " @ ", " --> "]];
const ENDINGS: ReadonlyMap<number, number> = new Map([
  ..."DdL*".split("").map((character) => [character.charCodeAt(0), 0] as const),
  [")".charCodeAt(0), 1],
  ..."0123456789".split("").map((character) => [character.charCodeAt(0), 2] as const),
]);
