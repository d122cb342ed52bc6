import { elapsedMs } from "../machine/clock.ts";
import { join } from "node:path";
import type { GateOutcome } from "../core/outcome.ts";
import { type SlotStep, withSafetyLatch } from "../core/review-slot.ts";
import { treesOfSlots } from "../machine/state/findings.ts";
import { Git } from "../machine/git/git.ts";
import { ReviewTrees } from "../machine/git/review-trees.ts";
import type { GateContext } from "./gate-context.ts";
import { outcomeOf } from "./outcome-of.ts";
import { type LoadedSlot, loadSlots } from "./review/load-slots.ts";
import { reviewOutcome } from "./review/review-outcome.ts";
import type { PlannedReview, ReviewRun } from "./review/review-run.ts";
import { runSlot, type SlotResult } from "./review/run-slot.ts";

/** Has a change reviewed by other models: finds in the first round, verifies in later ones, and ends after the last. */
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

/** Slots that are asked are asked beside each other, unless the gate wants one thing at a time. */
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
    runSlot(run, { ...slot, step: stepAt(steps, index, slot) }, signal);
  if (run.planned.gate.parallel) return Promise.all(loaded.map(start));
  const results: SlotResult[] = [];
  for (const [index, slot] of loaded.entries()) results.push(await start(slot, index));
  return results;
}

function stepAt(steps: readonly SlotStep[], index: number, { step }: LoadedSlot): SlotStep {
  return steps[index] ?? step;
}

/** All reviews of a run look at the same picture of the work tree. */
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
