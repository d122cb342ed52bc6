import type { GateOutcome } from "../core/outcome.ts";
import type { PlannedGate } from "../core/plan.ts";

/** The part of an outcome that says what happened; the rest comes from the planned gate. */
export type Happened = DistributiveOmit<
  GateOutcome,
  | "id"
  | "gate"
  | "name"
  | "scope"
  | "workingDirectory"
  | "warnOnly"
  | "durationMs"
  | "fixInstructions"
  | "parser"
>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export function outcomeOf(planned: PlannedGate, durationMs: number, happened: Happened): GateOutcome {
  const { id, gate, scope, workingDirectory } = planned;
  const { fixInstructions, parser } = gate.kind === "check" ? gate : {};
  const reading = {
    ...(fixInstructions === undefined ? {} : { fixInstructions }),
    ...(parser === undefined ? {} : { parser }),
  };
  const base = { id, gate: gate.kind, name: gate.name, scope, workingDirectory, warnOnly: gate.warnOnly };
  return { ...base, durationMs: Math.round(durationMs), ...reading, ...happened };
}
