import {
  noticedAnswer,
  takeDecision,
  textOf,
  stopParser,
  snakeCaseSample,
  snakeCaseStop,
} from "./protocol.ts";
import type { Host } from "./host.ts";

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
    events: { stop: "Stop", session_start: "SessionStart", edit: "PostToolUse" },
    projectFile: ".codex/hooks.json",
    userFile: { variable: "CODEX_HOME", folder: ".codex", file: "hooks.json" },
    grouped: true,
    fields: { type: "command" },
    executables: ["codex"],
    homeFolder: ".codex",
    afterwards:
      "Codex runs no hook before you trust it, and says nothing about it: open Codex in this project, type /hooks and trust both hooks. After every change of a command, again.",
  },
  parse: stopParser(stopEvents, (payload, surroundings) => ({
    ...snakeCaseStop("codex", payload, surroundings),
    promptId: textOf(payload, "turn_id"),
  })),
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
