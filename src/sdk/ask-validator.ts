import type { HookContext } from "./hooks.ts";
import {
  VALIDATE_COMPLETION_TOOL_NAME,
  type CompletionValidator,
  type ValidationOutcome,
} from "./validation.ts";

/** What came of asking the context's validator. */
export type ValidatorAnswer =
  | {
      readonly kind: "answered";
      readonly outcome: ValidationOutcome;
      /** Whether the validator really looked. */
      readonly isVerified: boolean;
    }
  | { readonly kind: "errored"; readonly error: string };

/** Who asks: with its signal, the cwd of its event, and the stop it asks about. */
export interface Question {
  readonly stopReason: string;
  readonly signal?: AbortSignal | undefined;
  readonly cwd?: string | undefined;
}

/** The validator behind the context's reserved tool. */
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
    ...(signal === undefined ? {} : { signal }),
    ...(cwd === undefined ? {} : { cwd }),
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
