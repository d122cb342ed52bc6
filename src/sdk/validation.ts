import type { ToolHandler } from "./tool.ts";

/** What a completion validator is told about the stop. */
export interface ValidationParams {
  /** Why the agent stops, such as `end_turn` or `max_turns`. */
  readonly stopReason: string;
  /** How many tools the agent has used in this execution. */
  readonly toolCount: number;
  /** How many stops have been blocked so far; 0 at the first one. */
  readonly retryCount: number;
}

/** Whether the task is complete, and why. A plain object will do. */
export interface ValidationOutcome {
  readonly complete: boolean;
  /** For the agent: when incomplete, what is left to do. */
  readonly reason: string;
}

/** Decides whether the task is complete. */
export type CompletionValidator = ToolHandler<ValidationParams, ValidationOutcome>;

/** A frozen `ValidationOutcome` that can be shown. */
export class ValidationResult implements ValidationOutcome {
  readonly complete: boolean;
  readonly reason: string;

  constructor(init: ValidationOutcome) {
    this.complete = init.complete;
    this.reason = init.reason;
    Object.freeze(this);
  }

  /** `[complete] reason` or `[incomplete] reason`. */
  render(): string {
    return `[${this.complete ? "complete" : "incomplete"}] ${this.reason}`;
  }
}
