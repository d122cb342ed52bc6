import type { CheckGate, ReplGate } from "./gate.ts";

/** One hook of `.brepl/hooks.edn`: a gate, and what its failure means for the stop. */
export interface Hook {
  readonly gate: CheckGate | ReplGate;
  /** A failure sends the agent back to work; otherwise it is only reported. */
  readonly retryOnFailure: boolean;
  /** How often a failure sends the agent back before we give up; 0 is for ever. */
  readonly maxRetries: number;
  /** A hook that cannot run at all is worth telling the user; otherwise it is skipped. */
  readonly required: boolean;
}
