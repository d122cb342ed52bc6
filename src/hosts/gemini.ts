import { definedOnly } from "../core/defined-only.ts";
import { noticedAnswer } from "./answer.ts";
import type { Host, ParsedStop, Payload, Surroundings } from "./host.ts";
import { textOf } from "./payload.ts";
import { otherEvent, SAMPLE_TIME, snakeCaseSample, snakeCaseStop } from "./snake-case-stop.ts";
import { takeDecision } from "./take-answer.ts";

const stopEvents = ["AfterAgent"];

/** Gemini CLI (measured with 0.61.0, 2026-11-15). It refuses a hook registered for `Stop`; timeouts are milliseconds. */
export const gemini: Host = {
  name: "gemini",
  title: "Gemini CLI",
  stopEvents,
  timeoutUnit: "ms",
  defaultTimeoutMs: 60_000,
  allowsUnknownKeys: true,
  registration: {
    format: "json",
    events: { stop: "AfterAgent" },
    projectFile: ".gemini/settings.json",
    userFile: { folder: ".gemini", file: "settings.json" },
    eventsKey: "hooks",
    isShared: false,
    takesComments: true,
    grouped: true,
    fields: { type: "command" },
    executables: ["gemini"],
    homeFolder: ".gemini",
    afterwards:
      "Gemini CLI skips a project's hooks until you trust the folder: start `gemini` here and say yes.",
    alsoReads: [],
  },
  parse,
  render: noticedAnswer,
  sample: (stop) => ({
    ...snakeCaseSample("AfterAgent", stop),
    timestamp: SAMPLE_TIME,
    prompt: "Do the task.",
    prompt_response: stop.lastMessage,
  }),
  take: (answer) => takeDecision(answer, { exitCode2Blocks: true }),
};

function parse(payload: Payload, surroundings: Surroundings): ParsedStop {
  const other = otherEvent(payload, stopEvents);
  if (other !== undefined) return other;
  const event = snakeCaseStop("gemini", payload, surroundings);
  return {
    kind: "stop",
    event: { ...event, ...definedOnly({ lastMessage: textOf(payload, "prompt_response") }) },
  };
}
