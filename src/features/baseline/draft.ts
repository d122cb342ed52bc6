import { join } from "node:path";
import {
  type BaselineEntry,
  baselineText,
  type CommittedBaseline,
  countBeyond,
  EMPTY_BASELINE,
} from "./baseline-file.ts";
import type { GateOutcome } from "../../gates/outcome.ts";
import type { RunRequest } from "../../run/request.ts";
import type { RunResult } from "../../run/result.ts";
import { ok, type Result } from "../../trouble.ts";
import { BASELINE_FILE, readAccepted, readBaseline, writeAccepted } from "./store.ts";
import { writeFileAtomic } from "../../system/files/files.ts";
import type { Environment } from "../../system/process/environment.ts";
import { run as runGates } from "../../run/run.ts";
import { findingsOf } from "./findings.ts";
import { entriesFor, entriesLeft, sortOutcomes } from "./baseline-advice.ts";

export interface BaselineDraft {
  readonly entries: readonly BaselineEntry[];
  /** How many tests ran, now and when the file was written: only a user may lower the number. */
  readonly ran: CommittedBaseline["ran"];
  readonly ranBefore: CommittedBaseline["ran"];
  readonly added: number;
  readonly removed: number;
  /** Checks whose problems are unknown, with why: their entries stay. */
  readonly undecided: readonly string[];
}

export async function draftBaseline(
  root: string,
  request: RunRequest & { readonly prune: boolean },
): Promise<Result<BaselineDraft | RunResult>> {
  const file = readBaseline(root);
  if (!file.ok) return file;
  const existing = file.value ?? EMPTY_BASELINE;
  const { prune, ...asked } = request;
  const result = await runGates({ ...asked, kind: "check", all: true, onlyNew: false, noFix: true });
  if (result.kind !== "ran" || request.signal?.aborted) return ok(result);
  const run = { root, env: request.env ?? {}, plan: result.plan, outcomes: result.outcomes };
  const { decided, undecided } = await sortOutcomes(run, prune ? existing.ran : {});
  const found = await Promise.all(
    decided.map((one) => (prune ? entriesLeft(one, root, existing.entries) : entriesFor(one, root))),
  );
  const unknown = [...undecided.map(({ id }) => id), ...result.plan.skipped.map(({ id }) => id)];
  const kept = existing.entries.filter(({ gate }) => unknown.includes(gate));
  const entries = [...found.flat(), ...kept];
  return ok({
    entries,
    ran: prune ? existing.ran : { ...countsOf(existing, unknown), ...(await testsRunBy(decided, root)) },
    ranBefore: existing.ran,
    added: countBeyond(entries, existing.entries),
    removed: countBeyond(existing.entries, entries),
    undecided: undecided.map(({ why }) => why),
  });
}

function countsOf({ ran }: CommittedBaseline, gates: readonly string[]): CommittedBaseline["ran"] {
  return Object.fromEntries(Object.entries(ran).filter(([gate]) => gates.includes(gate)));
}

async function testsRunBy(outcomes: readonly GateOutcome[], root: string): Promise<CommittedBaseline["ran"]> {
  const counts = await Promise.all(
    outcomes.map(async (outcome) => [outcome.id, (await findingsOf(outcome, root)).ran] as const),
  );
  return Object.fromEntries(counts.flatMap(([id, ran]) => (ran === undefined ? [] : [[id, ran]])));
}

export function isAccepted(root: string, { entries, ran }: BaselineDraft, env: Environment): boolean {
  const accepted = readAccepted(root, env);
  const isSameCount = entries.every(({ gate }) => accepted.ran[gate] === ran[gate]);
  return isSameCount && countBeyond(entries, accepted.entries) === 0;
}

/** Writes the file; what a user has seen at a terminal is accepted on this machine. */
export function writeBaseline(
  root: string,
  { entries, ran, ranBefore }: BaselineDraft,
  { env, isSeen }: { readonly env: Environment; readonly isSeen: boolean },
): Result<void> {
  const baseline = { entries, ran: isSeen ? ran : ranBefore };
  const accepted = isSeen ? writeAccepted(root, env, baseline) : ok(undefined);
  return accepted.ok ? writeFileAtomic(join(root, BASELINE_FILE), baselineText(baseline)) : accepted;
}
