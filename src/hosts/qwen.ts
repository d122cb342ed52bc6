import type { BackgroundTask, StopEvent } from "./stop-event.ts";
import {
  noticedAnswer,
  takeDecision,
  recordsOf,
  textOf,
  stopParser,
  SAMPLE_TIME,
  snakeCaseSample,
  snakeCaseStop,
} from "./protocol.ts";
import type { Host, Payload, Surroundings } from "./host.ts";

const stopEvents = ["Stop"];

/** Measured with 0.15.10, 0.21.10, 0.23.4, 0.24.0 and 0.24.4 (2026-11-15). */
export const qwen: Host = {
  name: "qwen",
  title: "Qwen Code",
  stopEvents,
  blockCap: 8,
  timeoutUnit: "ms",
  defaultTimeoutMs: 60_000,
  allowsUnknownKeys: true,
  registration: {
    format: "json",
    events: { stop: "Stop", session_start: "SessionStart", edit: "PostToolUse" },
    projectFile: ".qwen/settings.json",
    userFile: { folder: ".qwen", file: "settings.json" },
    takesComments: true,
    grouped: true,
    fields: { type: "command" },
    executables: ["qwen"],
    homeFolder: ".qwen",
  },
  parse: stopParser(stopEvents, readStop),
  render: noticedAnswer,
  sample: (stop) => ({
    ...snakeCaseSample("Stop", stop),
    timestamp: SAMPLE_TIME,
    prompt_id: stop.promptId,
    permission_mode: "auto",
    last_assistant_message: stop.lastMessage,
    background_tasks: [],
    crons: [],
    context_usage: 0.01,
    context_limit: 200_000,
    input_tokens: 2000,
  }),
  take: (answer) => takeDecision(answer, { exitCode2Blocks: true }),
};

function readStop(payload: Payload, surroundings: Surroundings): StopEvent {
  const event = snakeCaseStop("qwen", payload, surroundings);
  const promptId = textOf(payload, "prompt_id");
  return {
    ...event,
    continued: event.continued && tellsTheTruth(promptId),
    backgroundTasks: recordsOf(payload, "background_tasks").filter(isRunning).map(backgroundAgent),
    promptId,
  };
}

/**
 * Old versions send `stop_hook_active: true` on every stop, which would switch the gate off. Those that send the true value
 * also send a `prompt_id` (seen from 0.23.4 on; 0.21.10 does neither).
 */
function tellsTheTruth(promptId: string | undefined): boolean {
  return promptId !== undefined;
}

/** Finished tasks stay in the list. */
function isRunning(task: Payload): boolean {
  return textOf(task, "status") === "running";
}

/** The list holds sub-agents only. */
function backgroundAgent(task: Payload): BackgroundTask {
  return { kind: "agent", description: textOf(task, "description") ?? "" };
}
