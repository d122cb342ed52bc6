import type { StopRow } from "./page-data.ts";
import type { RecordedOutcome } from "../../ledger/verdict-record.ts";

/** What a verdict meant in practice. */
export type Meaning = "blocked" | "passed" | "gave up" | "failed" | "not checked";

/** A failed run from the terminal blocks nothing; a stop without a judgement was let through unchecked. */
export function meaningOf({ status, decision }: Pick<StopRow, "status" | "decision">): Meaning {
  if (decision === "block") return "blocked";
  if (status === "retry_limit_exceeded") return "gave up";
  if (status === "passed" || status === "passed_with_warnings") return "passed";
  return status === "failed" ? "failed" : "not checked";
}

export interface Day {
  /** Days since the epoch, in local time. */
  readonly day: number;
  readonly blocked: number;
  /** Sessions that passed after they had been blocked. */
  readonly fixed: number;
  readonly gaveUp: number;
  readonly notChecked: number;
}

const DAY_MS = 86_400_000;

/** Stops per day, the first day first, without gaps. `offsetMs` is what local time is behind UTC. */
export function daysOf(newestFirst: readonly StopRow[], offsetMs: number): readonly Day[] {
  const days = new Map<number, { blocked: number; fixed: number; gaveUp: number; notChecked: number }>();
  const fixes = new Set(chainsOf(newestFirst).flatMap(fixesIn));
  for (const row of newestFirst) {
    if (row.decision === undefined) continue;
    const day = Math.floor((row.at - offsetMs) / DAY_MS);
    const counts = days.get(day) ?? { blocked: 0, fixed: 0, gaveUp: 0, notChecked: 0 };
    days.set(day, counts);
    const meaning = meaningOf(row);
    if (meaning === "blocked") counts.blocked++;
    if (meaning === "gave up") counts.gaveUp++;
    if (meaning === "not checked") counts.notChecked++;
    if (fixes.has(row)) counts.fixed++;
  }
  return withoutGaps(days);
}

function withoutGaps(days: ReadonlyMap<number, Omit<Day, "day">>): readonly Day[] {
  const known = [...days.keys()];
  const first = known.reduce((least, day) => Math.min(least, day), Infinity);
  const last = known.reduce((most, day) => Math.max(most, day), -Infinity);
  if (known.length === 0 || last - first > MOST_DAYS)
    return known.toSorted((one, other) => one - other).flatMap((day) => dayOf(day, days));
  return Array.from({ length: last - first + 1 }, (_, at) => first + at).flatMap((day) => dayOf(day, days));
}

/** A clock that was wrong once must not make a chart of a century. */
const MOST_DAYS = 1_000;

function dayOf(day: number, days: ReadonlyMap<number, Omit<Day, "day">>): readonly Day[] {
  return [{ day, blocked: 0, fixed: 0, gaveUp: 0, notChecked: 0, ...days.get(day) }];
}

/** The stops of one session in one project, the first one first. */
export interface Chain {
  readonly key: string;
  readonly session: string;
  readonly project: string;
  readonly host?: string | undefined;
  readonly rows: readonly StopRow[];
  readonly lastAt: number;
}

/** Sessions as chains of stops, the one that stopped last first. Runs from the terminal belong to none. */
export function chainsOf(newestFirst: readonly StopRow[]): readonly Chain[] {
  const chains = new Map<string, StopRow[]>();
  for (const row of newestFirst) {
    if (row.session === undefined) continue;
    const key = `${row.project}/${row.session}`;
    const rows = chains.get(key);
    if (rows === undefined) chains.set(key, [row]);
    else rows.push(row);
  }
  return [...chains].flatMap(([key, rows]) => {
    const [last] = rows;
    if (last?.session === undefined) return [];
    const { session, project, host, at: lastAt } = last;
    return [{ key, session, project, host, rows: rows.toReversed(), lastAt }];
  });
}

function fixesIn({ rows }: Chain): readonly StopRow[] {
  let isBlocked = false;
  return rows.filter((row) => {
    const meaning = meaningOf(row);
    const isFix = isBlocked && meaning === "passed";
    if (meaning === "blocked") isBlocked = true;
    if (meaning === "passed" || meaning === "gave up") isBlocked = false;
    return isFix;
  });
}

/** What became of a session, in a few words. */
export function endOf(chain: Chain): { readonly words: string; readonly meaning: Meaning } {
  const blocks = chain.rows.filter((row) => meaningOf(row) === "blocked").length;
  const last = chain.rows.findLast((row) => meaningOf(row) !== "not checked") ?? chain.rows.at(-1);
  const meaning = last === undefined ? "not checked" : meaningOf(last);
  const times = blocks === 1 ? "1 block" : `${blocks} blocks`;
  if (blocks === 0) return { words: meaning, meaning };
  if (meaning === "passed") return { words: `fixed after ${times}`, meaning };
  return { words: meaning === "blocked" ? `still red after ${times}` : `${meaning} after ${times}`, meaning };
}

export interface GateStats {
  readonly key: string;
  readonly id: string;
  readonly project: string;
  /** How often it really ran. */
  readonly runs: number;
  readonly totalMs: number;
  readonly medianMs: number;
  readonly slowestMs: number;
  /** How often it kept an agent from stopping. */
  readonly caught: number;
  /** How often it passed only when it was repeated. */
  readonly flaky: number;
  readonly reused: number;
  /** The oldest first. */
  readonly times: readonly { readonly at: number; readonly ms: number }[];
}

/** What each gate costs and what it catches, the most expensive first. */
export function gateStats(newestFirst: readonly StopRow[]): readonly GateStats[] {
  const gates = new Map<string, { row: StopRow; outcome: RecordedOutcome }[]>();
  for (const row of newestFirst)
    for (const outcome of row.outcomes ?? []) {
      const key = `${row.project}/${outcome.id}`;
      const seen = gates.get(key);
      if (seen === undefined) gates.set(key, [{ row, outcome }]);
      else seen.push({ row, outcome });
    }
  return [...gates]
    .map(([key, seen]) => statsOf(key, seen))
    .toSorted((one, other) => other.totalMs - one.totalMs);
}

function statsOf(
  key: string,
  seen: readonly { readonly row: StopRow; readonly outcome: RecordedOutcome }[],
): GateStats {
  const ran = seen.filter(({ outcome }) => outcome.rests !== "reuse" && outcome.kind !== "skipped");
  const sorted = ran.map(({ outcome }) => outcome.ms).toSorted((one, other) => one - other);
  const count = (is: (outcome: RecordedOutcome) => boolean): number =>
    seen.filter(({ outcome }) => is(outcome)).length;
  return {
    key,
    id: seen[0]?.outcome.id ?? "",
    project: seen[0]?.row.project ?? "",
    runs: ran.length,
    totalMs: sorted.reduce((sum, ms) => sum + ms, 0),
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
    slowestMs: sorted.at(-1) ?? 0,
    caught: count(({ blocks }) => blocks === true),
    flaky: count(({ rests }) => rests === "rerun"),
    reused: count(({ rests }) => rests === "reuse"),
    times: ran.map(({ row, outcome }) => ({ at: row.at, ms: outcome.ms })).toReversed(),
  };
}
