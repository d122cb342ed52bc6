import { counted } from "../../words.ts";
import { elapsedMs } from "../../system/clock.ts";
import { join } from "node:path";
import type { GateOutcome } from "../outcome.ts";
import { withSafetyLatch, openFindings, skippedFindings } from "./slot.ts";
import { treesOfSlots, sheetName } from "./slot-store.ts";
import { Git } from "../../system/git/git.ts";
import { ReviewTrees } from "../../system/git/patches.ts";
import { type GateContext, outcomeOf, type Happened } from "../gate-context.ts";
import { type LoadedSlot, loadSlots, type PlannedReview, type ReviewRun } from "./review-run.ts";
import { runSlot, type SlotResult } from "./run-slot.ts";
import { byUrgency, countFindings, describeFinding, type Finding, type ReviewReport } from "./finding.ts";
import { type ProjectPath, projectPath } from "../../path.ts";

/** Finds in the first round, verifies in later ones, and ends after the last. */
export async function runReview(
  planned: PlannedReview,
  context: GateContext,
  signal: AbortSignal,
): Promise<GateOutcome> {
  const { review: facts } = context;
  if (facts === undefined)
    return outcomeOf(planned, 0, { kind: "errored", detail: "there is no change to review" });
  const started = elapsedMs();
  const trees = treesOf(context, signal);
  const current = await trees.current();
  const run: ReviewRun = {
    planned,
    context,
    facts,
    trees,
    tree: current.kind === "tree" ? current.hash : null,
  };
  const loaded = loadSlots(run);
  const results = await runSlots(run, loaded, signal);
  await forgetOldTrees(run);
  return outcomeOf(planned, elapsedMs() - started, reviewOutcome(run, results));
}

/** Side by side, unless the gate wants one at a time. */
async function runSlots(
  run: ReviewRun,
  loaded: readonly LoadedSlot[],
  signal: AbortSignal,
): Promise<readonly SlotResult[]> {
  const steps = withSafetyLatch(
    loaded.map(({ step }) => step),
    loaded.map(({ facts }) => facts),
  );
  const start = (slot: LoadedSlot, index: number): Promise<SlotResult> =>
    runSlot(run, { ...slot, step: steps[index] ?? slot.step }, signal);
  if (run.planned.gate.parallel) return Promise.all(loaded.map(start));
  const results: SlotResult[] = [];
  for (const [index, slot] of loaded.entries()) results.push(await start(slot, index));
  return results;
}

/** All reviews of a run share one snapshot. */
function treesOf(context: GateContext, signal: AbortSignal): ReviewTrees {
  const { root, logDir } = context;
  const known = TREES.get(context) ?? new ReviewTrees(new Git(root, signal), join(root, logDir));
  TREES.set(context, known);
  return known;
}

const TREES = new WeakMap<GateContext, ReviewTrees>();

async function forgetOldTrees({ context, trees, tree }: ReviewRun): Promise<void> {
  const inUse = treesOfSlots(join(context.root, context.logDir));
  await trees.forgetAllBut(tree === null ? inUse : [...inUse, tree]);
}

type Answered = Extract<SlotResult, { kind: "answered" }>;

export function reviewOutcome(run: ReviewRun, results: readonly SlotResult[]): Happened {
  if (results.some(({ kind }) => kind === "cancelled")) {
    return { kind: "cancelled", detail: "the review was ended before it was done" };
  }
  const { gate } = run.planned;
  const answered = results.filter((result) => result.kind === "answered");
  const unavailable = results.filter((result) => result.kind === "unavailable");
  const blocking = answered.filter(({ step }) => step !== "spent").flatMap(({ slot }) => openFindings(slot));
  const extras = { logPath: logOf(run, results), review: reportOf(run, answered) };
  if (blocking.length > 0)
    return { kind: "failed", detail: failure(run, answered, distinct(blocking)), ...extras };
  const missing = unavailable.map(({ slot, detail }) => `no reviewer for slot ${slot}: ${detail}`);
  if (unavailable.length > 0 && (gate.onUnavailable === "block" || answered.length === 0)) {
    const blocks = gate.onUnavailable === "block";
    return { kind: "unavailable", detail: missing.join("; "), blocks, ...extras };
  }
  const unseen = isUnseen(answered)
    ? [`stopped asking after ${counted(gate.maxRounds, "round")}, the latest changes were not reviewed`]
    : [];
  const warnings = [...unseen, ...answered.flatMap((one) => warningsOf(one, gate.maxRounds)), ...missing];
  return { kind: "passed", warning: warnings.length === 0 ? undefined : warnings.join("; "), ...extras };
}

function failure(run: ReviewRun, answered: readonly Answered[], findings: readonly Finding[]): string {
  const round = Math.max(...answered.map(({ slot }) => slot.round));
  const remarks = answered.flatMap(({ remark }) => remark ?? []);
  return [`${countFindings(findings)}, round ${round} of ${run.planned.gate.maxRounds}`, ...remarks].join(
    "; ",
  );
}

/** What passed unchecked and a person should know. */
function warningsOf({ slot, remark }: Answered, maxRounds: number): readonly string[] {
  const skipped = skippedFindings(slot).map(
    (finding) => `skipped: ${describeFinding(finding)} (${finding.result.trim()})`,
  );
  const open = openFindings(slot).toSorted(byUrgency).map(describeFinding);
  return [
    ...(open.length === 0
      ? []
      : [`stopped asking after ${counted(maxRounds, "round")}, still open: ${open.join(", ")}`]),
    ...skipped,
    ...(remark === undefined ? [] : [remark]),
  ];
}

/** No slot has seen the change: nothing was open, and no rounds are left. */
function isUnseen(answered: readonly Answered[]): boolean {
  return answered.length > 0 && answered.every(({ step, changed }) => step === "rest" && changed);
}

function reportOf({ planned, context }: ReviewRun, answered: readonly Answered[]): ReviewReport {
  const withOpen = answered.filter(({ slot }) => openFindings(slot).length > 0);
  return {
    open: distinct(withOpen.flatMap(({ slot }) => openFindings(slot))).toSorted(byUrgency),
    skipped: distinct(answered.flatMap(({ slot }) => skippedFindings(slot))),
    sheets: withOpen.map(({ slot }) => projectPath(`${context.logDir}/${sheetName(planned.id, slot.slot)}`)),
  };
}

/** A finding of two slots counts once. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [finding.id, finding])).values()];
}

function logOf({ context }: ReviewRun, results: readonly SlotResult[]): ProjectPath | undefined {
  const name = results.flatMap((result) => ("logName" in result ? (result.logName ?? []) : []))[0];
  return name === undefined ? undefined : projectPath(`${context.logDir}/${name}`);
}
