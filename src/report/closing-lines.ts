import { describeOutcome, type GateOutcome, isBlocking, isRed, needsWords } from "../gates/outcome.ts";
import { fingerprint } from "../feedback/problem.ts";
import { namesNothing, valuesIn } from "../feedback/compared-values.ts";
import { cutText } from "../feedback/text/cut-text.ts";
import { type LabelOf } from "./plain-lines.ts";
import { failuresIn, type ReportedProblem, type RunReport } from "./run-report.ts";
import type { Terminal } from "./terminal.ts";
import { wrap } from "./wrap.ts";

export interface ClosingFacts {
  readonly labelOf: LabelOf;
  readonly colours: Terminal["colours"];
  /** Of the terminal; without it no line is wrapped or cut. */
  readonly columns?: number | undefined;
  /** How many problems are listed; the others are counted. */
  readonly most?: number;
}

/** What failed, one problem after another, so that the end of a run says it all: `✗ test  test/cart.test.ts:11  counts every item: expected 3, got 2`. */
export function closingLines(report: RunReport, facts: ClosingFacts): readonly string[] {
  const { colours, columns, most = MOST_PROBLEMS } = facts;
  const all = closingProblems(report);
  const listed = oneOfEachFirst(all, most);
  const width = Math.min(MOST_LABEL, Math.max(0, ...listed.map((one) => labelsOf(one, facts).length)));
  const rows = Math.max(1, Math.floor(MOST_ROWS / Math.max(1, listed.length)));
  const lines = listed.flatMap((one) => {
    const mark = one.blocks ? colours.red("✗") : colours.yellow("!");
    const place = one.place === "" ? [] : [colours.cyan(one.place)];
    const text = [`${mark} ${labelsOf(one, facts).padEnd(width)}`, ...place, one.text].join("  ");
    return columns === undefined ? [text] : wrap(text, columns, "    ", rows);
  });
  const more = all.length - listed.length;
  return more === 0 ? lines : [...lines, `  and ${more} more: \`agent-gauntlet report\` shows them`];
}

const MOST_PROBLEMS = 10;
const MOST_ROWS = 12;
const MOST_LABEL = 24;
const LONGEST_TEXT = 300;

interface ClosingProblem {
  /** The gates that report it. */
  readonly gates: readonly string[];
  readonly blocks: boolean;
  readonly place: string;
  readonly text: string;
}

function labelsOf({ gates }: ClosingProblem, { labelOf }: ClosingFacts): string {
  return gates.map(labelOf).join(", ");
}

/** What blocks comes first. What several gates report is one problem. */
function closingProblems(report: RunReport): readonly ClosingProblem[] {
  const outcomes = report.outcomes.filter(needsWords);
  const byKey = new Map<string, ClosingProblem>();
  for (const outcome of [...outcomes.filter(isBlocking), ...outcomes.filter((one) => !isBlocking(one))])
    for (const [key, problem] of problemsOfGate(report, outcome)) {
      const known = byKey.get(key);
      const gates = new Set([...(known?.gates ?? []), ...problem.gates]);
      byKey.set(key, { ...(known ?? problem), gates: [...gates] });
    }
  return [...byKey.values()];
}

function problemsOfGate(report: RunReport, outcome: GateOutcome): readonly [string, ClosingProblem][] {
  const gates = [outcome.id];
  const blocks = isBlocking(outcome);
  const failures = isRed(outcome) ? failuresIn(report, outcome) : [];
  if (failures.length > 0)
    return failures.map((problem) => [
      `${fingerprint(problem)} ${problem.line ?? ""}`,
      { gates, blocks, place: placeOf(problem), text: textOf(problem) },
    ]);
  const log = outcome.kind === "passed" || outcome.logPath === undefined ? "" : ` (${outcome.logPath})`;
  return [[outcome.id, { gates, blocks, place: "", text: `${describeOutcome(outcome)}${log}` }]];
}

function placeOf({ file, line }: ReportedProblem): string {
  if (file === undefined) return "";
  return line === undefined ? file : `${file}:${line}`;
}

function textOf(problem: ReportedProblem): string {
  const { test, code } = problem;
  return cutText([test, code, saidShortly(problem)].filter(Boolean).join(": "), LONGEST_TEXT);
}

/** The message without what every assertion says; with the two values where it does not name them. */
function saidShortly({ message, excerpt = "" }: ReportedProblem): string {
  const said = message
    .replace(/^(?:AssertionError|Error)(?: \[\w+\])?: /, "")
    .replace(/ \/\/ .* equality$/, "");
  const [expected, actual] = valuesIn(excerpt);
  if (expected === undefined || actual === undefined) return said.replace(/:$/, "");
  const values = `expected ${expected}, got ${actual}`;
  if (namesNothing(said)) return values;
  return said.includes(expected) && said.includes(actual) ? said : `${said.replace(/:$/, "")} (${values})`;
}

/** So many of them, none of a gate before one of every other; in the order they had. */
function oneOfEachFirst(problems: readonly ClosingProblem[], most: number): readonly ClosingProblem[] {
  const seen = new Map<string, number>();
  const ranked = problems.map((problem) => {
    const gate = problem.gates[0] ?? "";
    const rank = seen.get(gate) ?? 0;
    seen.set(gate, rank + 1);
    return { problem, rank };
  });
  const chosen = new Set(
    ranked
      .toSorted((one, other) => one.rank - other.rank)
      .slice(0, most)
      .map(({ problem }) => problem),
  );
  return problems.filter((problem) => chosen.has(problem));
}

/** What of a digest the closing lines do not say: excerpts, and parts of the log. Empty where there is nothing. */
export function addedBy(digest: string, problems: readonly ReportedProblem[]): string {
  const isSaid = (line: string): boolean =>
    /^\s*$|^Full log: |^\d+ (?:problem|error|failing test|warning).*:?$/.test(line) ||
    problems.some(({ message, test = "" }) => line.endsWith(message) && line.includes(test));
  return digest.split("\n").every(isSaid) ? "" : digest;
}
