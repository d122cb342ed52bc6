import { absolutePath } from "../path.ts";
import type { Verdict } from "../stop/verdict.ts";
import { jsonAnswer, answeredJson, NOT_ONE_LINE, textOf, otherEvent, workspaceOf } from "./protocol.ts";
import type { Host, HostAnswer, ParsedStop, Payload, Surroundings, Taken } from "./host.ts";

const stopEvents = ["stop", "Stop"];

/** Cursor's own default. */
const LOOP_LIMIT = 5;

/**
 * From its documentation (2026-11-15), not measured. It cannot be blocked: `followup_message` becomes the next user message, at
 * most `loop_limit` times.
 */
export const cursor: Host = {
  name: "cursor",
  title: "Cursor",
  stopEvents,
  blockCap: LOOP_LIMIT,
  timeoutUnit: "s",
  defaultTimeoutMs: 60_000,
  allowsUnknownKeys: true,
  registration: {
    format: "json",
    events: { stop: "stop", session_start: "sessionStart" },
    projectFile: ".cursor/hooks.json",
    userFile: { folder: ".cursor", file: "hooks.json" },
    grouped: false,
    fields: {},
    stopFields: { loop_limit: LOOP_LIMIT },
    companion: { version: 1 },
    executables: ["cursor", "cursor-agent"],
    homeFolder: ".cursor",
    alsoReads: [
      { host: "claude-code", level: "project", when: "opt-in" },
      { host: "claude-code", level: "user", when: "opt-in" },
    ],
  },
  parse,
  render,
  sample: (stop) => ({
    conversation_id: stop.sessionId,
    generation_id: stop.promptId,
    hook_event_name: "stop",
    model: "default",
    workspace_roots: [stop.cwd],
    status: "completed",
    loop_count: stop.blockedBefore,
  }),
  take,
};

function parse(payload: Payload, surroundings: Surroundings): ParsedStop {
  const other = otherEvent(payload, stopEvents);
  if (other !== undefined) return other;
  const status = textOf(payload, "status") ?? "completed";
  if (status !== "completed") return { kind: "other-event", name: `stop (${status})` };
  return {
    kind: "stop",
    event: {
      host: "cursor",
      cwd: absolutePath(textOf(payload, "cwd") ?? workspaceOf(payload) ?? surroundings.cwd),
      continued: isFollowUp(payload["loop_count"]),
      backgroundTasks: [],
      sessionId: textOf(payload, "conversation_id"),
      transcriptPath: textOf(payload, "transcript_path"),
      hostVersion: textOf(payload, "cursor_version"),
      stopReason: textOf(payload, "status"),
    },
  };
}

function isFollowUp(loopCount: unknown): boolean {
  return typeof loopCount === "number" && loopCount > 0;
}

function render(verdict: Verdict): HostAnswer {
  if (verdict.decision === "allow") return jsonAnswer({});
  return jsonAnswer({ followup_message: verdict.feedback });
}

function take(answer: HostAnswer): Taken {
  const json = answeredJson(answer);
  if (json === undefined) return NOT_ONE_LINE;
  const message = textOf(json, "followup_message");
  return message === undefined ? { agent: "stops" } : { agent: "goes-on", agentReads: message };
}
