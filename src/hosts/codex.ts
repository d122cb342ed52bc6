import {
  noticedAnswer,
  takeDecision,
  textOf,
  otherEvent,
  snakeCaseSample,
  snakeCaseStop,
} from "./protocol.ts";
import type { Host, ParsedStop, Payload, Surroundings } from "./host.ts";

const stopEvents = ["Stop"];

/** Measured with 0.166.0 (2026-11-15). One unknown key and it drops the whole answer. */
export const codex: Host = {
  name: "codex",
  title: "Codex",
  stopEvents,
  timeoutUnit: "s",
  defaultTimeoutMs: 600_000,
  allowsUnknownKeys: false,
  registration: {
    format: "json",
    events: { stop: "Stop", session_start: "SessionStart" },
    projectFile: ".codex/hooks.json",
    userFile: { variable: "CODEX_HOME", folder: ".codex", file: "hooks.json" },
    eventsKey: "hooks",
    isShared: false,
    takesComments: false,
    grouped: true,
    fields: { type: "command" },
    executables: ["codex"],
    homeFolder: ".codex",
    afterwards:
      "Codex runs no hook before you trust it, and says nothing about it: open Codex in this project, type /hooks and trust both hooks. After every change of a command, again.",
    alsoReads: [],
  },
  parse,
  render: noticedAnswer,
  sample: (stop) => ({
    ...snakeCaseSample("Stop", stop),
    turn_id: stop.promptId,
    model: "gpt",
    permission_mode: "default",
    last_assistant_message: stop.lastMessage,
  }),
  take: (answer) =>
    takeDecision(answer, {
      exitCode2Blocks: true,
      onlyKeys: ["continue", "decision", "reason", "stopReason", "suppressOutput", "systemMessage"],
      wrap: (reason) => `<hook_prompt>${reason}</hook_prompt>`,
    }),
};

function parse(payload: Payload, surroundings: Surroundings): ParsedStop {
  const other = otherEvent(payload, stopEvents);
  if (other !== undefined) return other;
  const event = snakeCaseStop("codex", payload, surroundings);
  return { kind: "stop", event: { ...event, promptId: textOf(payload, "turn_id") } };
}
