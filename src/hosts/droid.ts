import { noticedAnswer, takeDecision, stopParser, snakeCaseSample, snakeCaseStop } from "./protocol.ts";
import type { Host } from "./host.ts";

const stopEvents = ["Stop"];

/** Measured with 0.215.0 and 0.225.2 (2026-11-15). */
export const droid: Host = {
  name: "droid",
  title: "Factory Droid",
  stopEvents,
  timeoutUnit: "s",
  defaultTimeoutMs: 60_000,
  allowsUnknownKeys: true,
  registration: {
    format: "json",
    events: { stop: "Stop", session_start: "SessionStart", edit: "PostToolUse" },
    projectFile: ".factory/settings.json",
    userFile: { folder: ".factory", file: "settings.json" },
    takesComments: true,
    grouped: true,
    fields: { type: "command" },
    executables: ["droid"],
    homeFolder: ".factory",
  },
  parse: stopParser(stopEvents, (payload, surroundings) => snakeCaseStop("droid", payload, surroundings)),
  render: noticedAnswer,
  sample: (stop) => ({
    ...snakeCaseSample("Stop", stop),
    permission_mode: "auto-low",
    message_id: stop.promptId,
    tool_execution_count: 0,
    elapsed_time: 0,
  }),
  take: (answer) => takeDecision(answer, { exitCode2Blocks: true }),
};
