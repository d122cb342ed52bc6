import { definedOnly } from "../../core/defined-only.ts";
import type { FlakyTest, RecordedOutcome, VerdictRecord } from "../../core/record/verdict-record.ts";
import { flakyJson, line } from "./json.ts";

/** A ledger's health, as `log --check` tells it. */
export interface CheckedLedger {
  readonly lines: number;
  readonly broken?: { readonly line: number; readonly why: string } | undefined;
}

interface MoreOfLedger {
  readonly check?: CheckedLedger;
  readonly flaky?: readonly FlakyTest[];
}

export function logJson(records: readonly VerdictRecord[], { check, flaky }: MoreOfLedger = {}): string {
  return line("log", {
    check: check === undefined ? null : { lines: check.lines, broken: check.broken ?? null },
    flaky: flaky?.map(flakyJson) ?? null,
    verdicts: records.map(verdictJson),
  });
}

/** One thing that was verified, and what was found. */
export interface VerifiedSubject {
  /** As it was asked for. */
  readonly name: string;
  readonly commit?: string | undefined;
  readonly verified: boolean;
  /** In words, either way. */
  readonly reason: string;
  readonly record?: VerdictRecord | undefined;
}

export function verifyJson(subjects: readonly VerifiedSubject[]): string {
  return line("verify", {
    verified: subjects.every(({ verified }) => verified),
    subjects: subjects.map(({ name, commit, verified, reason, record }) => ({
      name,
      commit: commit ?? null,
      verified,
      reason,
      verdict: record === undefined ? null : verdictJson(record),
    })),
  });
}

export function attestJson(attested: { commit: string; tree: string; signer: string; ref: string }): string {
  const { commit, tree, signer, ref } = attested;
  return line("attest", { commit, tree, signer, ref });
}

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
    ...definedOnly({
      outcomes: record.outcomes?.map((outcome) => pick(outcome, SHARED_OF_GATES)),
      session: numbers.get(record.session ?? ""),
    }),
  }));
}

function pick<T extends object>(from: T, keys: readonly (keyof T)[]): Partial<T> {
  const found: Partial<T> = {};
  for (const key of keys) if (from[key] !== undefined) found[key] = from[key];
  return found;
}
