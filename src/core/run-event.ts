import type { ChangeSet } from "./change-set.ts";
import type { GateOutcome } from "./outcome.ts";
import type { Plan, PlannedGate } from "./plan.ts";

/** Everything a reporter may show while a run goes on. */
export type RunEvent =
  | {
      readonly kind: "run-planned";
      readonly runNumber: number;
      readonly changes: ChangeSet;
      readonly plan: Plan;
    }
  | { readonly kind: "gate-started"; readonly planned: PlannedGate }
  /** A gate that takes long says what it is doing: `claude reviews, slot 1 of 2, round 1`. */
  | { readonly kind: "gate-progressed"; readonly planned: PlannedGate; readonly text: string }
  | { readonly kind: "gate-finished"; readonly outcome: GateOutcome }
  | { readonly kind: "warned"; readonly message: string };
