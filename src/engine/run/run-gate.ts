import type { GateOutcome } from "../../core/outcome.ts";
import type { PlannedGate } from "../../core/plan.ts";
import { runCheck } from "../../gates/check.ts";
import type { GateContext } from "../../gates/gate-context.ts";

/** Runs one gate, whatever its kind. */
export async function runGate(
  planned: PlannedGate,
  context: GateContext,
  signal: AbortSignal,
): Promise<GateOutcome> {
  const { gate } = planned;
  switch (gate.kind) {
    case "check": {
      const outcome = await runCheck({ ...planned, gate }, context, signal);
      if (outcome.kind !== "failed" || gate.reruns === undefined) return outcome;
      const { rerunFailed } = await import("./reruns.ts"); // reads logs, which a green check does not need
      return rerunFailed({ ...planned, gate }, outcome, { context, signal });
    }
    case "repl":
      return (await import("../../gates/repl.ts")).runRepl({ ...planned, gate }, context, signal);
    case "review":
      return (await import("../../gates/review.ts")).runReview({ ...planned, gate }, context, signal);
  }
}
