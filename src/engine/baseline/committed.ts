import { join } from "node:path";
import { type BaselineEntry, baselineText, countBeyond } from "../../core/baseline/baseline-file.ts";
import { nameOutcome } from "../../core/outcome.ts";
import type { RunRequest, RunResult } from "../../core/run.ts";
import { ok, type Result } from "../../core/trouble.ts";
import {
  BASELINE_FILE,
  readAccepted,
  readBaseline,
  writeAccepted,
} from "../../machine/baseline/baseline-store.ts";
import { writeFileAtomic } from "../../machine/files/files.ts";
import type { Environment } from "../../machine/process/environment.ts";
import { executeRun } from "../run.ts";
import { entriesFor, entriesLeft, sortOutcomes } from "./unneeded.ts";

/** A baseline that could be written. */
export interface BaselineDraft {
  readonly entries: readonly BaselineEntry[];
  /** Problems that it has and the file does not, and the other way round. */
  readonly added: number;
  readonly removed: number;
  /** Checks that say nothing about their problems, with why: what the file has about them stays. */
  readonly undecided: readonly string[];
}

/** Runs every check and drafts the baseline from what it finds; with `prune` without what the file does not have. */
export async function draftBaseline(
  root: string,
  request: RunRequest & { readonly prune: boolean },
): Promise<Result<BaselineDraft | RunResult>> {
  const file = readBaseline(root);
  if (!file.ok) return file;
  const existing = file.value ?? [];
  const { prune, ...asked } = request;
  const result = await executeRun({ ...asked, kind: "check", all: true, onlyNew: false, noFix: true });
  if (result.kind !== "ran" || request.signal?.aborted) return ok(result);
  const { decided, undecided } = sortOutcomes(result.outcomes);
  const found = decided.map((one) => (prune ? entriesLeft(one, root, existing) : entriesFor(one, root)));
  const unknown = [...undecided.map(({ id }) => id), ...result.plan.skipped.map(({ id }) => id)];
  const kept = existing.filter(({ gate }) => unknown.includes(gate));
  const entries = [...(await Promise.all(found)).flat(), ...kept];
  return ok({
    entries,
    added: countBeyond(entries, existing),
    removed: countBeyond(existing, entries),
    undecided: undecided.map(nameOutcome),
  });
}

/** Whether a user has seen everything in it at a terminal of this machine. */
export function isAccepted(root: string, { entries }: BaselineDraft, env: Environment): boolean {
  return countBeyond(entries, readAccepted(root, env)) === 0;
}

/** Writes the file; what a user has seen at a terminal is accepted on this machine from then on. */
export function writeBaseline(
  root: string,
  { entries }: BaselineDraft,
  { env, isSeen }: { readonly env: Environment; readonly isSeen: boolean },
): Result<void> {
  const accepted = isSeen ? writeAccepted(root, env, entries) : ok(undefined);
  return accepted.ok ? writeFileAtomic(join(root, BASELINE_FILE), baselineText(entries)) : accepted;
}
