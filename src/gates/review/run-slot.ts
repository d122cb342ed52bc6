import { join } from "node:path";
import type { Finding } from "../../core/finding.ts";
import { openFindings, type ReviewSlot, type SlotStep, skippedFindings } from "../../core/review-slot.ts";
import { explain } from "../../core/trouble.ts";
import { CappedLog } from "../../machine/logs/capped-log.ts";
import { writeSlot } from "../../machine/state/findings.ts";
import { takeGateLog } from "../../machine/logs/log-dir.ts";
import type { ReviewRun } from "./review-run.ts";
import { askInTurn, type Round } from "./ask-in-turn.ts";
import type { LoadedSlot } from "./load-slots.ts";
import { assemblePrompt } from "./prompt.ts";
import { changeSince, wholeChange } from "./review-material.ts";

/** What one slot came to in this run. */
export type SlotResult =
  /** The slot has an answer, from this run or an earlier one. */
  | {
      readonly kind: "answered";
      readonly step: SlotStep["kind"];
      readonly slot: ReviewSlot;
      readonly changed: boolean;
      readonly remark?: string;
      readonly logName?: string;
    }
  | { readonly kind: "unavailable"; readonly slot: number; readonly detail: string; readonly logName: string }
  | { readonly kind: "cancelled"; readonly slot: number };

/** Does with a slot what was decided: asks a reviewer and folds the answer in, or lets the earlier answer stand. */
export async function runSlot(run: ReviewRun, loaded: LoadedSlot, signal: AbortSignal): Promise<SlotResult> {
  const { step, facts } = loaded;
  if (step.kind === "find") return find(run, loaded, { carried: step.carried, signal });
  if (step.kind === "verify") return verify(run, loaded, { slot: step.slot, signal });
  writeSlot(loaded.files, step.slot);
  const remark = loaded.isSheetBroken ? { remark: BROKEN_SHEET } : {};
  return { kind: "answered", step: step.kind, slot: step.slot, changed: facts.changed, ...remark };
}

const BROKEN_SHEET = "the answers were not valid JSON and could not be read; the file has been written anew";

async function find(
  run: ReviewRun,
  loaded: LoadedSlot,
  { carried, signal }: { carried: readonly Finding[]; signal: AbortSignal },
): Promise<SlotResult> {
  const material = await wholeChange(run);
  const earlier = carried.filter(material.isInside);
  const { minPriority } = run.planned.gate;
  return askRound(run, loaded, {
    round: { number: 1, earlier, confirmed: [], minPriority, startsOver: true, material },
    signal,
  });
}

async function verify(
  run: ReviewRun,
  loaded: LoadedSlot,
  { slot, signal }: { slot: ReviewSlot; signal: AbortSignal },
): Promise<SlotResult> {
  const material = await changeSince(run, slot);
  const { findings: earlier, confirmed } = slot;
  const minPriority = run.facts.rerunNewIssueThreshold;
  return askRound(run, loaded, {
    round: { number: slot.round + 1, earlier, confirmed, minPriority, startsOver: false, material },
    signal,
  });
}

async function askRound(
  run: ReviewRun,
  loaded: LoadedSlot,
  { round, signal }: { round: Round; signal: AbortSignal },
): Promise<SlotResult> {
  const { planned, context } = run;
  const logDir = join(context.root, context.logDir);
  const taken = takeGateLog(logDir, `${planned.id}:slot-${loaded.number}`, context.runNumber);
  const logName = taken.name;
  const log = new CappedLog(join(logDir, logName), taken);
  const asked = await askInTurn(
    run,
    { slot: loaded.number, round, log, prompt: promptOf(run, round) },
    signal,
  );
  log.close();
  if (asked.kind === "cancelled") return { kind: "cancelled", slot: loaded.number };
  if (asked.kind === "unavailable") return { ...asked, slot: loaded.number, logName };
  const { findings, confirmed } = asked.result;
  const slot: ReviewSlot = {
    gate: planned.id,
    slot: loaded.number,
    round: round.number,
    reviewer: asked.reviewer,
    tree: run.tree,
    findings,
    confirmed,
  };
  const written = writeSlot(loaded.files, slot);
  const remark = written.ok ? {} : { remark: explain(written.trouble) };
  return { kind: "answered", step: loaded.step.kind, slot, changed: true, logName, ...remark };
}

function promptOf({ planned, facts }: ReviewRun, round: Round): string {
  const { earlier, confirmed, material, minPriority } = round;
  const record = { ...EMPTY_SLOT, findings: earlier, confirmed };
  return assemblePrompt({
    instructions: planned.gate.prompt,
    scope: planned.scope,
    comparedTo: facts.changes.comparedTo,
    files: planned.files,
    diff: material.diff,
    ...(material.since === undefined ? {} : { since: material.since }),
    toVerify: openFindings(record),
    skipped: skippedFindings(record),
    minPriority,
  });
}

const EMPTY_SLOT = { gate: "", slot: 1, round: 1, reviewer: "", tree: null, findings: [], confirmed: [] };
