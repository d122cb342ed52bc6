import { randomUUID } from "node:crypto";
import { absolutePath } from "../../core/path.ts";
import { isGreen } from "../../core/stop/status.ts";
import type { Verdict } from "../../core/stop/verdict.ts";
import { elapsedMs } from "../../machine/clock.ts";
import { startTrace } from "../../engine/telemetry/start-trace.ts";
import type { Session } from "../session.ts";
import {
  type ToolContext,
  type ToolResult,
  type CompletionValidator,
  type ValidationOutcome,
  type ValidationParams,
  ValidationResult,
} from "../validation.ts";

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
    const { handleStop, recordStop } = await import("../../engine/library.ts"); // most users of the SDK have no gates
    const cwd = options.cwd ?? context.cwd ?? process.cwd();
    const sessionId = sessions.get(context.session) ?? randomUUID();
    sessions.set(context.session, sessionId);
    const stop = {
      event: {
        host: "claude-code" as const,
        sessionId,
        cwd: absolutePath(cwd),
        continued: params.retryCount > 0,
        backgroundTasks: [],
        stopReason: params.stopReason,
      },
      env: process.env,
      budget: budgetOf(params, context),
    };
    const traced = await startTrace(stop.env);
    const answered = await handleStop(
      { ...stop, ...traced?.hooks },
      context.signal ?? new AbortController().signal,
    );
    await recordStop({ ...stop, door: "sdk" }, answered, { stdout: "", exitCode: 0 });
    traced?.sendStop({ ...stop, door: "sdk" }, answered, elapsedMs()).catch(() => false); // the agent goes on meanwhile
    return answerFor(answered.verdict);
  };
}

/** Always room for this answer: whether it may still block is for the stop hook to say. */
function budgetOf({ retryCount: spent }: ValidationParams, { maxStopRetries = 0 }: ToolContext) {
  return { spent, max: Math.max(maxStopRetries, spent + 1) };
}

function answerFor({ status, message, feedback }: Verdict): ToolResult<ValidationOutcome> {
  const complete = status !== "failed";
  return {
    message,
    value: new ValidationResult({ complete, reason: feedback ?? message }),
    success: isGreen(status) || status === "failed",
  };
}
