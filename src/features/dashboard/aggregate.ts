import type { StopRow } from "./page-data.ts";
import type { RecordedOutcome } from "../../ledger/verdict-record.ts";

export type Meaning = "blocked" | "passed" | "passed with warnings" | "gave up" | "failed" | "not checked";

/** A failed run from the terminal blocks nothing; a stop without a judgement was let through unchecked. */
export function meaningOf({ status, decision }: Pick<StopRow, "status" | "decision">): Meaning {
  if (decision === "block") return "blocked";
  if (status === "retry_limit_exceeded") return "gave up";
  if (status === "passed_with_warnings") return "passed with warnings";
  if (status === "passed") return "passed";
  return status === "failed" ? "failed" : "not checked";
}

function isPass(meaning: Meaning): boolean {
  return meaning === "passed" || meaning === "passed with warnings";
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

/** A clock that was wrong once must not make a chart of a century. */
const MOST_DAYS = 1_000;

/** Stops per day, today last: as many days as were chosen, or since the first stop. `offsetMs` is what local time is behind UTC. */
export function daysOf(
  newestFirst: readonly StopRow[],
  { offsetMs, now, count }: { readonly offsetMs: number; readonly now: number; readonly count?: number },
): readonly Day[] {
  const dayOf = (at: number): number => Math.floor((at - offsetMs) / DAY_MS);
  const today = dayOf(now);
  const first = newestFirst.reduce((least, { at }) => Math.min(least, dayOf(at)), today);
  const length = Math.min(count ?? today - first + 1, MOST_DAYS);
  const days = Array.from({ length }, (_, at) => ({
    day: today - length + 1 + at,
    blocked: 0,
    fixed: 0,
    gaveUp: 0,
    notChecked: 0,
  }));
  const fixes = new Set(chainsOf(newestFirst).flatMap(fixesIn));
  for (const row of newestFirst) {
    const counts = days[dayOf(row.at) - today + length - 1];
    if (counts === undefined || row.decision === undefined) continue;
    const meaning = meaningOf(row);
    if (meaning === "blocked") counts.blocked++;
    if (meaning === "gave up") counts.gaveUp++;
    if (meaning === "not checked") counts.notChecked++;
    if (fixes.has(row)) counts.fixed++;
  }
  return days;
}

export interface Chain {
  readonly key: string;
  readonly session: string;
  readonly project: string;
  readonly host?: string | undefined;
  readonly rows: readonly StopRow[];
  readonly lastAt: number;
}

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
    const isFix = isBlocked && isPass(meaning);
    if (meaning === "blocked") isBlocked = true;
    if (isPass(meaning) || meaning === "gave up") isBlocked = false;
    return isFix;
  });
}

export function endOf(chain: Chain): { readonly words: string; readonly meaning: Meaning } {
  const blocks = chain.rows.filter((row) => meaningOf(row) === "blocked").length;
  const last = chain.rows.findLast((row) => meaningOf(row) !== "not checked") ?? chain.rows.at(-1);
  const meaning = last === undefined ? "not checked" : meaningOf(last);
  const times = blocks === 1 ? "1 block" : `${blocks} blocks`;
  if (blocks === 0) return { words: meaning, meaning };
  if (isPass(meaning)) return { words: `fixed after ${times}`, meaning };
  return {
    words: meaning === "blocked" ? `still failing after ${times}` : `${meaning} after ${times}`,
    meaning,
  };
}

export interface GateStats {
  readonly key: string;
  readonly id: string;
  readonly project: string;
  readonly runs: number;
  readonly totalMs: number;
  readonly medianMs: number;
  /** Nine of ten runs took at most this long. */
  readonly p90Ms: number;
  readonly caught: number;
  /** How often it passed only when it was repeated. */
  readonly flaky: number;
  readonly reused: number;
  /** What the reused passes would have taken, by the median. */
  readonly savedMs: number;
  readonly times: readonly { readonly at: number; readonly ms: number; readonly isRed: boolean }[];
}

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
  const medianMs = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const reused = count(({ rests }) => rests === "reuse");
  return {
    key,
    id: seen[0]?.outcome.id ?? "",
    project: seen[0]?.row.project ?? "",
    runs: ran.length,
    totalMs: sorted.reduce((sum, ms) => sum + ms, 0),
    medianMs,
    p90Ms: sorted[Math.floor(sorted.length * 0.9)] ?? 0,
    caught: count(({ blocks }) => blocks === true),
    flaky: count(({ rests }) => rests === "rerun"),
    reused,
    savedMs: reused * medianMs,
    times: ran
      .map(({ row, outcome }) => ({ at: row.at, ms: outcome.ms, isRed: outcome.blocks === true }))
      .toReversed(),
  };
}
