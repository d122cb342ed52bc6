import {
  noticedAnswer,
  takeDecision,
  textOf,
  stopParser,
  SAMPLE_TIME,
  snakeCaseSample,
  snakeCaseStop,
} from "./protocol.ts";
import type { Host, Payload, Surroundings } from "./host.ts";
import type { StopEvent } from "./stop-event.ts";

const stopEvents = ["AfterAgent"];

/**
 * Measured with 0.61.0 (2026-11-15). It refuses a hook for `Stop`, and after a tool call it sends `stop_hook_active: false`
 * although a block made it go on.
 */
export const gemini: Host = {
  name: "gemini",
  title: "Gemini CLI",
  stopEvents,
  timeoutUnit: "ms",
  defaultTimeoutMs: 60_000,
  allowsUnknownKeys: true,
  registration: {
    format: "json",
    events: { stop: "AfterAgent", session_start: "SessionStart", edit: "AfterTool" },
    projectFile: ".gemini/settings.json",
    userFile: { folder: ".gemini", file: "settings.json" },
    takesComments: true,
    grouped: true,
    fields: { type: "command" },
    executables: ["gemini"],
    homeFolder: ".gemini",
    afterwards:
      "Gemini CLI skips a project's hooks until you trust the folder: start `gemini` here and say yes.",
  },
  parse: stopParser(stopEvents, readStop),
  render: noticedAnswer,
  sample: (stop) => ({
    ...snakeCaseSample("AfterAgent", stop),
    timestamp: SAMPLE_TIME,
    prompt: "Do the task.",
    prompt_response: stop.lastMessage,
  }),
  take: (answer) => takeDecision(answer, { exitCode2Blocks: true }),
};

function readStop(payload: Payload, surroundings: Surroundings): StopEvent {
  const event = snakeCaseStop("gemini", payload, surroundings);
  const prompt = textOf(payload, "prompt");
  return {
    ...event,
    isFlagless: event.continued ? undefined : true,
    promptId: prompt === undefined ? undefined : shortHash(prompt),
    lastMessage: textOf(payload, "prompt_response"),
  };
}

/** Tells prompts apart without storing them (FNV-1a). */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
