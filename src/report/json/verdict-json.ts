import type { VerdictRecord, RecordedOutcome } from "../../ledger/verdict-record.ts";

export function verdictJson(record: VerdictRecord): object {
  return {
    at: new Date(record.at).toISOString(),
    durationMs: record.ms,
    door: record.door,
    host: record.host ?? null,
    session: record.session ?? null,
    worktree: record.worktree ?? null,
    status: record.status,
    decision: record.decision ?? null,
    run: record.run ?? null,
    attemptsLeft: record.left ?? null,
    branch: record.branch ?? null,
    commit: record.commit ?? null,
    tree: record.tree ?? null,
    baseCommit: record.base ?? null,
    gates: record.gates ?? null,
    whole: record.whole ?? false,
    outcomes: (record.outcomes ?? []).map(
      ({ id, kind, ms, blocks = false, warns = false, rests = null, flaky = [] }) => ({
        id,
        outcome: kind,
        durationMs: ms,
        blocks,
        warns,
        rests,
        flaky,
      }),
    ),
    rests: record.rests ?? [],
    version: record.version,
  };
}

const SHARED: readonly (keyof VerdictRecord)[] = [
  "at",
  "ms",
  "door",
  "host",
  "status",
  "decision",
  "run",
  "left",
  "commit",
  "tree",
  "base",
  "gates",
  "whole",
  "rests",
  "version",
];

const SHARED_OF_GATES: readonly (keyof RecordedOutcome)[] = [
  "id",
  "kind",
  "ms",
  "blocks",
  "warns",
  "rests",
  "tests",
];

/** What may leave the machine, and nothing that is not listed: sessions under numbers, no names of branches, work trees and tests. */
export function forSharing(records: readonly VerdictRecord[]): readonly object[] {
  const sessions = new Set(records.flatMap(({ session }) => session ?? []));
  const numbers = new Map([...sessions].map((session, index) => [session, `session-${index + 1}`]));
  return records.map((record) => ({
    ...pick(record, SHARED),
    outcomes: record.outcomes?.map((outcome) => pick(outcome, SHARED_OF_GATES)),
    session: numbers.get(record.session ?? ""),
  }));
}

function pick<T extends object>(from: T, keys: readonly (keyof T)[]): Partial<T> {
  const found: Partial<T> = {};
  for (const key of keys) if (from[key] !== undefined) found[key] = from[key];
  return found;
}
