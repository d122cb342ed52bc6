import { absolutePath } from "../path.ts";
import {
  noticedAnswer,
  takeDecision,
  backgroundTasksOf,
  flagOf,
  textOf,
  otherEvent,
  SAMPLE_TIME,
} from "./protocol.ts";
import type { Host, ParsedStop, Payload, Surroundings } from "./host.ts";

const stopEvents = ["Stop"];

/**
 * Measured with 1.0.41 (2026-11-15); the cap is from its documentation. It sends camelCase with some snake_case, and one more
 * `Stop` at the end of a session, whose answer it ignores.
 */
export const grok: Host = {
  name: "grok",
  title: "Grok Build",
  stopEvents,
  blockCap: 8,
  timeoutUnit: "s",
  defaultTimeoutMs: 600_000,
  allowsUnknownKeys: true,
  registration: {
    format: "json",
    events: { stop: "Stop", session_start: "SessionStart", edit: "PostToolUse" },
    projectFile: ".grok/hooks/agent-gauntlet.json",
    userFile: { variable: "GROK_HOME", folder: ".grok", file: "hooks/agent-gauntlet.json" },
    grouped: true,
    fields: { type: "command" },
    executables: ["grok"],
    homeFolder: ".grok",
    afterwards:
      "Grok Build skips a project's hooks until you trust the folder, and says nothing about it: start `grok` here and say yes.",
    alsoReads: [{ host: "claude-code", level: "project", when: "always" }],
  },
  parse,
  render: noticedAnswer,
  sample: (stop) => ({
    hookEventName: "stop",
    sessionId: stop.sessionId,
    cwd: stop.cwd,
    workspaceRoot: `${stop.cwd}/`,
    timestamp: SAMPLE_TIME,
    transcriptPath: `/tmp/${stop.sessionId}.jsonl`,
    promptId: stop.promptId,
    permissionMode: "default",
    reason: "end_turn",
    stopHookActive: stop.blockedBefore > 0,
    lastAssistantMessage: stop.lastMessage,
    backgroundTasks: [],
    sessionCrons: [],
    hook_event_name: "Stop",
    session_id: stop.sessionId,
    transcript_path: `/tmp/${stop.sessionId}.jsonl`,
    permission_mode: "default",
  }),
  take: (answer) =>
    takeDecision(answer, { exitCode2Blocks: true, wrap: (reason) => `Stop hook feedback:\n- ${reason}` }),
};

function parse(payload: Payload, surroundings: Surroundings): ParsedStop {
  const other = otherEvent(payload, stopEvents);
  if (other !== undefined) return other;
  const stopReason = textOf(payload, "reason");
  return {
    kind: stopReason === "shutdown" ? "ended" : "stop",
    event: {
      host: "grok",
      cwd: absolutePath(textOf(payload, "cwd") ?? surroundings.cwd),
      continued: flagOf(payload, "stopHookActive"),
      backgroundTasks: backgroundTasksOf(payload, "backgroundTasks"),
      sessionId: textOf(payload, "sessionId") ?? textOf(payload, "session_id"),
      transcriptPath: textOf(payload, "transcriptPath") ?? textOf(payload, "transcript_path"),
      promptId: textOf(payload, "promptId"),
      lastMessage: textOf(payload, "lastAssistantMessage"),
      permissionMode: textOf(payload, "permissionMode") ?? textOf(payload, "permission_mode"),
      stopReason,
    },
  };
}
