import type { GateOutcome } from "../core/outcome.ts";
import type { PlannedGate } from "../core/plan.ts";
import { runCheck } from "./check.ts";
import type { GateContext } from "./gate-context.ts";

/** Runs one gate, whatever its kind. */
export async function runGate(
  planned: PlannedGate,
  context: GateContext,
  signal: AbortSignal,
): Promise<GateOutcome> {
  const { gate } = planned;
  switch (gate.kind) {
    case "check":
      return runCheck({ ...planned, gate }, context, signal);
    case "repl":
      return (await import("./repl.ts")).runRepl({ ...planned, gate }, context, signal);
    case "review":
      return (await import("./review.ts")).runReview({ ...planned, gate }, context, signal);
  }
}
