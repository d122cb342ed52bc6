import type { ProjectPath } from "../core/path.ts";
import type { RunEvent } from "../core/run-event.ts";
import { isGreen } from "../core/status.ts";
import { statusMessage } from "../core/status-message.ts";
import type { StopEvent } from "../core/stop-event.ts";
import type { Verdict } from "../core/verdict.ts";
import { type BlockedSession, forgetBlock, readBlockedSession } from "../machine/blocked-session.ts";
import { findProject } from "../machine/find-project.ts";
import type { RunResult } from "./run-request.ts";
import { allow, verdictOf } from "./verdict-of.ts";

/** A stop to answer: what the host asked, and what we know about the host and ourselves. */
export interface Stop {
  readonly event: StopEvent;
  /** Blocks in a row after which the host stops listening. */
  readonly blockCap?: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called when gates are about to run, for whoever watches. */
  readonly onRunning?: () => void;
  readonly onEvent?: (event: RunEvent) => void;
  /** Called with what the run came to, for whoever keeps a record. */
  readonly onResult?: (result: RunResult) => void;
  /** Where the run leaves its traces instead of the project's log directory. */
  readonly logDir?: ProjectPath | undefined;
}

/** May the agent stop? The whole of the product in one function; everything else is in the functions it calls. */
export async function handleStop(stop: Stop, signal: AbortSignal): Promise<Verdict> {
  const { event, env, blockCap } = stop;
  const blocked = event.continued ? readBlockedSession(event, env) : undefined;
  if (event.continued && blocked?.whenActive !== "enforce") return letThrough(stop, blocked);
  const root = findProject(event.cwd);
  if (root === undefined) return allow("no_config");

  stop.onRunning?.();
  const { executeRun } = await import("./execute-run.ts");
  const onEvent = stop.onEvent ?? (() => {});
  const { logDir } = stop;
  const request = { cwd: root, checkInterval: true, event, blockCap, env, signal, onEvent, logDir };
  const result = await executeRun(request);
  stop.onResult?.(result);
  if (isGreen(result.status) || result.status === "retry_limit_exceeded") forgetBlock(event, env);
  return verdictOf(result, { event, root });
}

/** Where the host has no flag or forgets it, a block that we remember for the same prompt says that the agent goes on after it. */
export function withOwnRecord(event: StopEvent, env: Stop["env"]): StopEvent {
  if (event.isFlagless !== true) return event;
  const blocked = readBlockedSession(event, env);
  return blocked?.promptId === event.promptId && blocked !== undefined
    ? { ...event, continued: true }
    : event;
}

/**
 * The stop of an agent that was woken from the background belongs to the prompt that was blocked. Interactively Claude Code
 * (2.1.325, 2026-11-16) gives each wake-up a `prompt_id` of its own, with which the budget would never end.
 */
export function asWoken(event: StopEvent, env: Stop["env"]): StopEvent {
  const blocked = event.continued ? readBlockedSession(event, env) : undefined;
  return blocked?.promptId === undefined ? event : { ...event, promptId: blocked.promptId };
}

/** The agent goes on because we blocked it, and by default its next stop is free; the person learns that, once. */
function letThrough({ event, env }: Stop, blocked: BlockedSession | undefined): Verdict {
  if (blocked === undefined) return allow("stop_hook_active");
  forgetBlock(event, env);
  const notice =
    "Gauntlet: the last stop was blocked by failing gates; this one is let through without checking the fix. " +
    "Run `agent-gauntlet run` to check now, or set `stop_hook.when_active: enforce` to have every stop checked.";
  return {
    decision: "allow",
    status: "stop_hook_active",
    message: statusMessage("stop_hook_active"),
    notice,
  };
}
