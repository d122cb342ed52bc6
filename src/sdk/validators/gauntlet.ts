import { randomUUID } from "node:crypto";
import { absolutePath } from "../../core/path.ts";
import { isGreen } from "../../core/status.ts";
import type { RunResult } from "../../engine/run-request.ts";
import type { Session } from "../session.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import type { CompletionValidator, ValidationOutcome, ValidationParams } from "../validation.ts";
import { ValidationResult } from "../validation.ts";

/** Where the project is whose gates decide. */
export interface GauntletValidatorOptions {
  /** Any directory of the project; the agent's own when absent. */
  readonly cwd?: string;
}

/**
 * Runs the project's own gates, those of `.gauntlet/`, as the stop hook of the command line does, and says the same to
 * the agent. Incomplete only if a gate failed; the budget of the `HookContext` takes the place of `max_retries`.
 */
export function gauntletValidator(options: GauntletValidatorOptions = {}): CompletionValidator {
  const sessions = new WeakMap<Session, string>();
  return async (params, { context }) => {
    const { executeRun } = await import("../../engine/execute-run.ts");
    const cwd = options.cwd ?? context.cwd ?? process.cwd();
    const sessionId = sessions.get(context.session) ?? randomUUID();
    sessions.set(context.session, sessionId);
    const result = await executeRun({
      cwd,
      checkInterval: true,
      event: {
        host: "claude-code",
        sessionId,
        cwd: absolutePath(cwd),
        continued: params.retryCount > 0,
        backgroundTasks: [],
        stopReason: params.stopReason,
      },
      budget: budgetOf(params, context),
      ...(context.signal === undefined ? {} : { signal: context.signal }),
    });
    return answerFor(result);
  };
}

/** Always room for this answer: whether it may still block is for the stop hook to say. */
function budgetOf({ retryCount: spent }: ValidationParams, { maxStopRetries = 0 }: ToolContext) {
  return { spent, max: Math.max(maxStopRetries, spent + 1) };
}

function answerFor({ status, message, feedback }: RunResult): ToolResult<ValidationOutcome> {
  const complete = status !== "failed";
  return {
    message,
    value: new ValidationResult({ complete, reason: feedback ?? message }),
    success: isGreen(status) || status === "failed",
  };
}
