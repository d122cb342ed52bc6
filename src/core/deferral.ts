import type { SessionHistory } from "./history.ts";
import type { StopEvent } from "./stop-event.ts";

/** Why a stop is not the end of the work, and what the session must remember about it. */
export interface Deferral {
  readonly reason: string;
  readonly session: SessionHistory;
}

/**
 * A stop in plan mode changes nothing and is never checked. Agents in the background put a check off once per prompt; if
 * they could do so again, or a dev server could at all, the gate would be off for the whole session.
 */
export function deferralOf(event: StopEvent | undefined, session: SessionHistory): Deferral | undefined {
  if (event === undefined) return undefined;
  if (event.permissionMode === "plan") return { reason: "the agent is in plan mode", session };
  const prompt = event.promptId ?? "";
  const agents = event.backgroundTasks.filter(({ kind }) => kind === "agent").length;
  if (agents === 0 || session.deferredFor === prompt) return undefined;
  return { reason: `${agents} background agents still work`, session: { ...session, deferredFor: prompt } };
}
