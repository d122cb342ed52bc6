import type { GateOutcome } from "../core/outcome.ts";
import type { Problem } from "../feedback/problem.ts";

/** What every report of a run is made from: the gates, and the problems found in the output of each, by the gate's id. */
export interface RunReport {
  readonly outcomes: readonly GateOutcome[];
  readonly problems: Readonly<Record<string, readonly Problem[]>>;
}

/** A red gate whose output named no problem is itself the problem. */
export function problemsOf({ problems }: RunReport, { id }: GateOutcome): readonly Problem[] {
  return problems[id] ?? [];
}
