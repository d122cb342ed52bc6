import { isRecord, parseJson } from "../../json.ts";
import { isCount, isText, mapOf, objectOf } from "../../shape.ts";
import type { Findings } from "./compare-findings.ts";
import type { KnownProblem } from "../../gates/outcome.ts";

export interface BaselineEntry {
  readonly gate: string;
  readonly file?: string;
  readonly code?: string;
  readonly test?: string;
  readonly severity?: "warning";
  readonly message?: string;
  readonly unread?: string;
  readonly output?: string;
  readonly ended?: string;
  readonly count: number;
}

export interface CommittedBaseline {
  readonly entries: readonly BaselineEntry[];
  /** By gate id: how many tests ran when its problems were written, if its tool counts them. */
  readonly ran: Readonly<Record<string, number>>;
}

export const EMPTY_BASELINE: CommittedBaseline = { entries: [], ran: {} };

/** Lines and columns are left out: they change with every edit above them. */
export function entriesOf(gate: string, found: Findings): readonly BaselineEntry[] {
  const { problems, isAllRead, unread, output, ended } = found;
  if (ended === undefined) return [];
  if (problems.length === 0 || !isAllRead)
    return output === undefined ? [] : [{ gate, output, ended, count: 1 }];
  return summed([
    ...problems.map(({ problem }) => problemEntry(gate, problem)),
    ...unread.map((line) => ({ gate, unread: line, count: 1 })),
  ]);
}

function problemEntry(gate: string, problem: KnownProblem): BaselineEntry {
  const { file, code, test, message } = problem;
  const severity = problem.severity === "warning" ? "warning" : undefined;
  return { gate, file, code, test, severity, message, count: 1 };
}

export function findingsIn(
  { entries, ran }: CommittedBaseline,
  gate: string,
  keyOf: (problem: KnownProblem) => string,
): Findings | undefined {
  const own = entries.filter((entry) => entry.gate === gate);
  if (own.length === 0) return undefined;
  const whole = own.find(({ output }) => output !== undefined);
  const problems = own.flatMap((entry) => {
    const { file, code, test, severity = "error", message, count } = entry;
    if (message === undefined) return [];
    const problem: KnownProblem = { file, code, test, severity, message };
    return Array.from({ length: count }, () => ({ key: keyOf(problem), problem }));
  });
  return {
    problems,
    isAllRead: true,
    unread: own.flatMap(({ unread, count }) =>
      unread === undefined ? [] : Array.from({ length: count }, () => unread),
    ),
    output: whole?.output,
    ended: whole?.ended ?? "exit code 1",
    ran: ran[gate],
  };
}

export function atMost(
  entries: readonly BaselineEntry[],
  allowed: readonly BaselineEntry[],
): readonly BaselineEntry[] {
  const counts = countsOf(allowed);
  return summed(entries).flatMap((entry) => {
    const count = Math.min(entry.count, counts.get(identity(entry)) ?? 0);
    return count === 0 ? [] : [{ ...entry, count }];
  });
}

export function atLeast(
  entries: readonly BaselineEntry[],
  others: readonly BaselineEntry[],
): readonly BaselineEntry[] {
  const counts = countsOf(entries);
  const more = summed(others).flatMap((entry) => {
    const count = entry.count - (counts.get(identity(entry)) ?? 0);
    return count <= 0 ? [] : [{ ...entry, count }];
  });
  return summed([...entries, ...more]);
}

export function countBeyond(entries: readonly BaselineEntry[], others: readonly BaselineEntry[]): number {
  return countOf(entries) - countOf(atMost(entries, others));
}

export function countOf(entries: readonly BaselineEntry[]): number {
  return entries.reduce((sum, { count }) => sum + count, 0);
}

export function lowerOf(
  one: CommittedBaseline["ran"],
  other: CommittedBaseline["ran"],
): CommittedBaseline["ran"] {
  const lower = Object.entries(one).map(([gate, count]) => [gate, Math.min(count, other[gate] ?? count)]);
  return { ...other, ...Object.fromEntries(lower) };
}

/** Sorted and one entry on each line, so that two branches merge line by line. */
export function baselineText({ entries, ran }: CommittedBaseline): string {
  const problems = summed(entries)
    .toSorted((one, other) => (identity(one) < identity(other) ? -1 : 1))
    .map((entry) => JSON.stringify(entry, FIELDS));
  const gates = new Set(entries.map(({ gate }) => gate));
  const counts = Object.entries(ran)
    .filter(([gate]) => gates.has(gate))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([gate, count]) => `${JSON.stringify(gate)}: ${count}`);
  const ranText = counts.length === 0 ? "" : `  "ran": {${block(counts)}},\n`;
  return `{\n  "version": 1,\n${ranText}  "problems": [${block(problems)}]\n}\n`;
}

function block(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\n${lines.map((line) => `    ${line}`).join(",\n")}\n  `;
}

export function readBaselineText(text: string): CommittedBaseline | string {
  const value = parseJson(text);
  if (!isRecord(value)) return "it is not JSON: resolve the merge conflict, or write it again";
  if (value["version"] !== 1) return "it is of another version of agent-gauntlet";
  const { problems, ran = {} } = value;
  if (!Array.isArray(problems)) return "it has no list of `problems`";
  if (!areCounts(ran)) return "`ran` is not what `agent-gauntlet baseline` writes";
  const wrong = problems.findIndex((one) => !isEntry(one));
  // a merge that kept both sides has some entries twice
  return wrong === -1
    ? { entries: unique(problems as BaselineEntry[], Math.max), ran }
    : `problem ${wrong + 1} of its list is not one that \`agent-gauntlet baseline\` writes`;
}

const areCounts = mapOf(isCount);

const MOST_OF_ONE = 100_000;

const hasEntryFields = objectOf(
  { gate: isText, count: isCount },
  {
    file: isText,
    code: isText,
    test: isText,
    severity: isText,
    message: isText,
    unread: isText,
    output: isText,
    ended: isText,
  },
);

export function isEntry(value: unknown): value is BaselineEntry {
  if (!hasEntryFields(value)) return false;
  const { count, message, unread, output } = value;
  if (count < 1 || count > MOST_OF_ONE) return false;
  return [message, unread, output].some((one) => one !== undefined);
}

function summed(entries: readonly BaselineEntry[]): readonly BaselineEntry[] {
  return unique(entries, (one, other) => Math.min(MOST_OF_ONE, one + other));
}

function unique(
  entries: readonly BaselineEntry[],
  join: (one: number, other: number) => number,
): readonly BaselineEntry[] {
  const byIdentity = new Map<string, BaselineEntry>();
  for (const entry of entries) {
    const key = identity(entry);
    const before = byIdentity.get(key);
    byIdentity.set(key, before === undefined ? entry : { ...before, count: join(before.count, entry.count) });
  }
  return [...byIdentity.values()];
}

function countsOf(entries: readonly BaselineEntry[]): ReadonlyMap<string, number> {
  return new Map(summed(entries).map((entry) => [identity(entry), entry.count]));
}

const FIELDS = ["gate", "file", "code", "test", "severity", "message", "unread", "output", "ended", "count"];

function identity(entry: BaselineEntry): string {
  const { gate, file, code, test, message, severity, unread, output, ended } = entry;
  return [gate, file, code, test, message, severity, unread, output, ended].join("\u0000");
}
