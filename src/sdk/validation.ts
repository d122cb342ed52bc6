import type { Session } from "./session.ts";
import type { HookContext } from "./hooks.ts";

/** What a completion validator gets to know about the stop. */
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

/** What a tool handler answers: text, and a typed value or `null`. */
export interface ToolResult<Value> {
  readonly message: string;
  readonly value: Value | null;
  /** `true` when absent. A validator that could not check says `false`, and the stop hook warns. */
  readonly success?: boolean;
}

/** What a tool handler may look at besides its parameters. */
export interface ToolContext {
  readonly session: Session;
  /** Aborted when the answer is no longer awaited. */
  readonly signal?: AbortSignal;
  /** Where the agent works. */
  readonly cwd?: string;
  /** How many stops are blocked at most. */
  readonly maxStopRetries?: number;
}

/** The function behind a tool; it may answer at once or later. */
export type ToolHandler<Params, Value> = (
  params: Params,
  options: { readonly context: ToolContext },
) => ToolResult<Value> | Promise<ToolResult<Value>>;

/** A named function with a description that a model can read. */
export interface Tool<Params, Value> {
  readonly name: string;
  readonly description: string;
  readonly handler: ToolHandler<Params, Value>;
}

/** A tool of whatever parameters and value. */
export type AnyTool = Tool<never, unknown>;

/** The reserved tool name: the stop hook calls the tool that bears it. */
export const VALIDATE_COMPLETION_TOOL_NAME = "validate_completion";

/** The validator of a workspace that configured none: every stop is complete. */
export const validateCompletion: CompletionValidator = () => ({
  message: "Validation passed",
  value: new ValidationResult({ complete: true, reason: "No validation configured" }),
});

/** The reserved tool with the default validator. */
export const validateCompletionTool: CompletionTool = /* @__PURE__ */ completionTool(validateCompletion);

/** A `validate_completion` tool. */
export type CompletionTool = Tool<ValidationParams, ValidationOutcome>;

/** The reserved tool with a validator of your own, for a `HookContext` without a workspace. */
export function completionTool(validator: CompletionValidator): CompletionTool {
  return Object.freeze({
    name: VALIDATE_COMPLETION_TOOL_NAME,
    description: "Validate task completeness before stopping",
    handler: validator,
  });
}

export type ValidatorAnswer =
  | {
      readonly kind: "answered";
      readonly outcome: ValidationOutcome;
      readonly isVerified: boolean;
    }
  | { readonly kind: "errored"; readonly error: string };

export interface Question {
  readonly stopReason: string;
  readonly signal?: AbortSignal | undefined;
  readonly cwd?: string | undefined;
}

export function findValidator(context: HookContext): CompletionValidator | undefined {
  // The reserved name is the contract: a tool attached under it is a completion validator.
  return context.getTool(VALIDATE_COMPLETION_TOOL_NAME)?.handler as CompletionValidator | undefined;
}

/** Calls a validator of which nothing is known: it may throw, reject, answer nonsense or never answer. */
export async function askValidator(
  validator: CompletionValidator,
  context: HookContext,
  question: Question,
): Promise<ValidatorAnswer> {
  try {
    return readAnswer(await settle(validator, context, question));
  } catch (error) {
    return { kind: "errored", error: error instanceof Error ? error.message : String(error) };
  }
}

async function settle(
  validator: CompletionValidator,
  context: HookContext,
  question: Question,
): Promise<unknown> {
  const { stopReason, signal } = question;
  const cwd = context.cwd ?? question.cwd;
  const params = { stopReason, toolCount: context.toolCount, retryCount: context.retryCount };
  const toolContext = {
    session: context.session,
    maxStopRetries: context.maxStopRetries,
    signal,
    cwd,
  };
  const answer = async (): Promise<unknown> =>
    validator(Object.freeze(params), { context: Object.freeze(toolContext) });
  return signal === undefined ? answer() : orAborted(answer, signal);
}

/** Listens before it asks: a validator may itself be what aborts. */
async function orAborted(answer: () => Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const answered = new AbortController();
  try {
    return await Promise.race([rejectWhenAborted(signal, answered.signal), answer()]);
  } finally {
    answered.abort();
  }
}

async function rejectWhenAborted(signal: AbortSignal, unlessDone: AbortSignal): Promise<never> {
  return new Promise<never>((_, reject) => {
    const tooLate = new Error("The validator was still running when the stop hook was aborted.");
    signal.addEventListener("abort", () => reject(tooLate), { once: true, signal: unlessDone });
  });
}

function readAnswer(result: unknown): ValidatorAnswer {
  const value = field(result, "value");
  const complete = field(value, "complete");
  if (typeof complete !== "boolean")
    return { kind: "errored", error: "The validator's answer has no boolean value.complete." };
  const reason = field(value, "reason");
  const outcome = { complete, reason: typeof reason === "string" ? reason : "" };
  return { kind: "answered", outcome, isVerified: field(result, "success") !== false };
}

function field(value: unknown, name: string): unknown {
  // Any property of an object may be read; what comes out is unknown again.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
