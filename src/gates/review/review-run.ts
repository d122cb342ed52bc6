import type { ReviewGate } from "../../core/gate.ts";
import type { PlannedGate } from "../../core/plan.ts";
import type { ReviewTrees } from "../../machine/git/review-trees.ts";
import type { GateContext, ReviewFacts } from "../gate-context.ts";

/** A review, planned. */
export type PlannedReview = PlannedGate & { readonly gate: ReviewGate };

/** Everything the slots of one review have in common. */
export interface ReviewRun {
  readonly planned: PlannedReview;
  readonly context: GateContext;
  readonly facts: ReviewFacts;
  readonly trees: ReviewTrees;
  /** The work tree of this run, where git can take a picture of it. */
  readonly tree: string | null;
}
