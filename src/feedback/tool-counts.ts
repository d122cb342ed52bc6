import type { Lines } from "./text/lines.ts";

/** What the tools of a log say in sum. */
export interface ToolCounts {
  /** The highest number of failures any of them names; undefined when none does. */
  readonly failures: number | undefined;
  /** Tests were run, and nothing in the log says that one failed. */
  readonly isAllPassed: boolean;
  /** Tests were run. */
  readonly hasTests: boolean;
  /** The sums as they stand in the log, the last ones. */
  readonly summary: string;
}

/** Reads the sums at the end of a log, once for all who ask: they check what the parsers have read. */
export function toolCounts(lines: Lines): ToolCounts {
  const counts = known.get(lines) ?? countAnew(lines);
  known.set(lines, counts);
  return counts;
}

const known = new WeakMap<Lines, ToolCounts>();

function countAnew(lines: Lines): ToolCounts {
  const last = lines.slice(lines.length - SUMMARIES_WITHIN).filter((line) => line.length < LONGEST_LINE);
  const sums = last.filter((line) => SUM.test(line) && !OF_ONE_FILE.test(line));
  const numbers = sums.flatMap(failuresIn);
  const isPassed = numbers.length > 0 ? Math.max(...numbers) === 0 : last.some((line) => PASSED.test(line));
  const told = [...new Set(sums.filter((line) => failuresIn(line).some((count) => count > 0)).map(plain))];
  const shown = told.slice(-MOST_SUMMARIES);
  return {
    failures: numbers.length === 0 ? undefined : Math.max(...numbers),
    isAllPassed: isPassed,
    hasTests: last.some((line) => TESTS.test(line)),
    summary: shown.length === 0 ? "" : `In sum: ${shown.join(" | ")}`,
  };
}

/** Vitest counts the tests of each file, too. */
const OF_ONE_FILE = /^\s*❯ \S/;
const SUMMARIES_WITHIN = 5000;
const LONGEST_LINE = 400;
const MOST_SUMMARIES = 3;
const LONGEST_SHOWN = 200;

const NOUN = String.raw`(?:errors?|problems?|failed|failures?|failing|fail|errored|offen[cs]es|violations?|issues?|(?:unit |sub)?tests? failed|failed tests?|(?:test\(?s?\)?|test cases?|specs?|examples?|assertions?) (?:FAILED|failed))`;
const SUM = new RegExp(
  String.raw`\b\d+ ${NOUN}\b|\b(?:failures|errors|failed|fail|failing)[=:] *\d+\b|\b\d+ (?:FAILED TEST|scenarios? \()|\bfailed \d+ (?:test|assertion)`,
  "i",
);
const NUMBER = new RegExp(
  String.raw`\b(\d+) ${NOUN}\b|\b(?:failures|errors|failed|fail|failing)[=:] *(\d+)\b|\b(\d+) FAILED TEST`,
  "gi",
);

const PASSED =
  /^[=\s-]*(?:OK \(|OK$|PASS$|PASSED$|ok\s|# fail 0|All tests? (?:successful|passed)|.*\b100% tests passed|Result: PASS|\s*\d+ (?:passing|passed)\b)/i;

const TESTS =
  /\b\d+ (?:tests?|specs?|examples?|scenarios?|test cases?|test\(s\)|runs|passed|passing|pass)\b|\b(?:tests|passed|pass)[=:] *\d+/i;

function failuresIn(line: string): readonly number[] {
  return [...line.matchAll(NUMBER)].map(([, one, other, third]) => Number(one ?? other ?? third));
}

function plain(line: string): string {
  const text = line.replace(/^[\s=]+|[\s=]+$/g, "");
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text;
}
