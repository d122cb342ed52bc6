import type { HookCallback, HookInput, HookOutput } from "./agent-sdk.ts";
import { type Question, type ValidatorAnswer, askValidator, findValidator } from "./ask-validator.ts";
import type { HookContext } from "./hooks.ts";
import type { ValidationOutcome } from "./validation.ts";

/**
 * The Agent SDK `Stop` callback: asks the context's `validate_completion` tool and blocks while the task is incomplete,
 * at most `maxStopRetries` times. Whatever goes wrong is logged and lets the agent stop.
 */
export function createStopHook(context: HookContext): HookCallback {
  return async (input, _toolUseID, options) => {
    if (input.hook_event_name !== "Stop") return {};
    context.stopReason = readStopReason(input);
    return decide(context, { stopReason: context.stopReason, signal: options?.signal, cwd: input.cwd });
  };
}

async function decide(context: HookContext, stop: Question): Promise<HookOutput> {
  const validator = findValidator(context);
  if (!validator || stop.signal?.aborted) return {};
  if (context.retryCount >= context.maxStopRetries) return giveUp(context);
  const answer = await askValidator(validator, context, stop);
  if (answer.kind === "errored") {
    context.log("warn", "stop_hook.validator_error", { error: answer.error });
    return {};
  }
  return answer.outcome.complete ? allow(context, answer) : block(context, answer.outcome);
}

/** No release of the Agent SDK up to 0.3.325 sends a `stopReason`; kept for one that will. */
function readStopReason(input: HookInput & { readonly stopReason?: unknown }): string {
  return typeof input.stopReason === "string" ? input.stopReason : "end_turn";
}

function giveUp(context: HookContext): HookOutput {
  const { retryCount, maxStopRetries } = context;
  context.log("warn", "stop_hook.max_retries_exceeded", { retryCount, maxStopRetries });
  return {};
}

type Answered = Extract<ValidatorAnswer, { readonly kind: "answered" }>;

function allow(context: HookContext, { outcome, isVerified }: Answered): HookOutput {
  const { reason } = outcome;
  if (isVerified) context.log("debug", "stop_hook.complete", { reason });
  else context.log("warn", "stop_hook.not_verified", { reason });
  return {};
}

function block(context: HookContext, outcome: ValidationOutcome): HookOutput {
  const reason = outcome.reason.trim() === "" ? REASON_NOT_GIVEN : outcome.reason;
  context.retryCount += 1;
  context.log("info", "stop_hook.incomplete", { reason, retryCount: context.retryCount });
  return { decision: "block", reason };
}

const REASON_NOT_GIVEN =
  "The task is not complete yet, and the validator gave no reason. Check your work against the task and finish it.";
