import { definedOnly } from "../../core/defined-only.ts";
import { absolutePath } from "../../core/path.ts";
import {
  noticedAnswer,
  takeDecision,
  flagOf,
  textOf,
  otherEvent,
  SAMPLE_TIME,
  snakeCaseSample,
} from "../protocol.ts";
import type { Host, ParsedStop, Payload, Surroundings, JsonHooks } from "../host.ts";

const stopEvents = ["Stop", "agentStop"];

/**
 * One file for Copilot CLI and VS Code chat, which both read `.github/hooks/*.json`: under `Stop` each of them fires it once
 * (Copilot CLI 1.0.102 measured 2026-11-15; it would fire `agentStop` beside `Stop` a second time).
 */
export const GITHUB_HOOKS = {
  format: "json",
  events: { stop: "Stop", session_start: "SessionStart" },
  projectFile: ".github/hooks/agent-gauntlet.json",
  userFile: { variable: "COPILOT_HOME", folder: ".copilot", file: "hooks/agent-gauntlet.json" },
  eventsKey: "hooks",
  isShared: true,
  takesComments: false,
  grouped: false,
  fields: { type: "command" },
} as const satisfies Partial<JsonHooks>;

/**
 * GitHub Copilot CLI (measured with 1.0.102, 2026-11-15). Registered as `agentStop` it sends camelCase and no event name,
 * registered as `Stop` snake_case. It reads JSON only: exit code 2 does not block.
 */
export const copilot: Host = {
  name: "copilot",
  title: "Copilot CLI",
  stopEvents,
  blockCap: 8,
  timeoutUnit: "s",
  defaultTimeoutMs: 30_000,
  allowsUnknownKeys: true,
  registration: {
    ...GITHUB_HOOKS,
    executables: ["copilot"],
    homeFolder: ".copilot",
    afterwards:
      "Copilot CLI skips a project's hooks until you trust the folder: start `copilot` here and say yes (`copilot -p` needs --trust-folder).",
    alsoReads: [{ host: "claude-code", level: "project", when: "always" }],
  },
  parse,
  render: noticedAnswer,
  sample: (stop) => ({
    ...snakeCaseSample("Stop", stop),
    timestamp: SAMPLE_TIME,
    stop_reason: "end_turn",
  }),
  take: (answer) => takeDecision(answer, { exitCode2Blocks: false }),
};

function parse(payload: Payload, surroundings: Surroundings): ParsedStop {
  const other = otherEvent(payload, stopEvents);
  if (other !== undefined) return other;
  return {
    kind: "stop",
    event: {
      host: "copilot",
      cwd: absolutePath(textOf(payload, "cwd") ?? surroundings.cwd),
      continued: flagOf(payload, "stop_hook_active"),
      backgroundTasks: [],
      ...definedOnly({
        sessionId: textOf(payload, "sessionId") ?? textOf(payload, "session_id"),
        transcriptPath: textOf(payload, "transcriptPath") ?? textOf(payload, "transcript_path"),
        hostVersion: surroundings.env["COPILOT_CLI_BINARY_VERSION"],
        stopReason: textOf(payload, "stopReason") ?? textOf(payload, "stop_reason"),
      }),
    },
  };
}
