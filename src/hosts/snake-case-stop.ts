import { definedOnly } from "../core/defined-only.ts";
import { absolutePath } from "../core/path.ts";
import type { StopEvent } from "../core/stop-event.ts";
import type { ParsedStop, Payload, SampleStop, Surroundings } from "./host.ts";
import { flagOf, textOf } from "./payload.ts";

/** The event's name where it is not one of the host's stop events; an absent name counts as a stop. */
export function otherEvent(
  payload: Payload,
  stopEvents: readonly string[],
): Extract<ParsedStop, { kind: "other-event" }> | undefined {
  const name = textOf(payload, "hook_event_name");
  return name === undefined || stopEvents.includes(name) ? undefined : { kind: "other-event", name };
}

/** The fields Claude Code introduced and most other hosts took over. */
export function snakeCaseStop(host: string, payload: Payload, surroundings: Surroundings): StopEvent {
  return {
    host,
    cwd: absolutePath(textOf(payload, "cwd") ?? surroundings.cwd),
    continued: flagOf(payload, "stop_hook_active"),
    backgroundTasks: [],
    ...definedOnly({
      sessionId: textOf(payload, "session_id"),
      transcriptPath: textOf(payload, "transcript_path"),
      lastMessage: textOf(payload, "last_assistant_message"),
      permissionMode: textOf(payload, "permission_mode"),
    }),
  };
}

/** The same fields of a made-up stop. */
export function snakeCaseSample(event: string, stop: SampleStop): Payload {
  return {
    session_id: stop.sessionId,
    transcript_path: `/tmp/${stop.sessionId}.jsonl`,
    cwd: stop.cwd,
    hook_event_name: event,
    stop_hook_active: stop.blockedBefore > 0,
  };
}

/** When made-up stops happen. */
export const SAMPLE_TIME = "2026-01-01T00:00:00.000Z";
