import type { StopEvent } from "../hosts/stop-event.ts";
import type { Environment } from "../system/process/environment.ts";
import { readSession } from "./session-store.ts";

/** If the host has no flag or forgets it, a block that we remember for the same prompt says that the agent continues after it. */
export function withOwnRecord(event: StopEvent, env: Environment): StopEvent {
  if (event.isFlagless !== true) return event;
  const blocked = readSession(event, env).value?.blocked;
  return blocked !== undefined && blocked.promptId === event.promptId ? { ...event, continued: true } : event;
}

/**
 * The stop of an agent that was woken from the background belongs to the prompt that was blocked. Interactively Claude Code
 * (2.1.325, 2026-11-16) gives each wake-up its own `prompt_id`, with which the budget would never end.
 */
export function asWoken(event: StopEvent, env: Environment): StopEvent {
  const blocked = event.continued ? readSession(event, env).value?.blocked : undefined;
  return blocked?.promptId === undefined ? event : { ...event, promptId: blocked.promptId };
}
