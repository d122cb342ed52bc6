import { absolutePath } from "../path.ts";
import {
  noticedAnswer,
  takeDecision,
  flagOf,
  textOf,
  stopParser,
  SAMPLE_TIME,
  snakeCaseSample,
  jsonAnswer,
  answeredJson,
  NOT_ONE_LINE,
} from "./protocol.ts";
import type { Host, ParsedStop, Payload, Surroundings, JsonHooks, HostAnswer, Taken } from "./host.ts";
import type { StopEvent } from "./stop-event.ts";
import { isRecord } from "../json.ts";
import type { Verdict } from "../stop/verdict.ts";

const copilotEvents = ["Stop", "agentStop"];

/**
 * Copilot CLI and VS Code chat both read `.github/hooks/*.json` and fire `Stop` once (Copilot CLI 1.0.102, 2026-11-15; with
 * `agentStop` beside it, twice).
 */
const GITHUB_HOOKS = {
  format: "json",
  events: { stop: "Stop", session_start: "SessionStart", edit: "PostToolUse" },
  projectFile: ".github/hooks/agent-gauntlet.json",
  userFile: { variable: "COPILOT_HOME", folder: ".copilot", file: "hooks/agent-gauntlet.json" },
  isShared: true,
  grouped: false,
  fields: { type: "command" },
} as const satisfies Partial<JsonHooks>;

/**
 * Measured with 1.0.102 (2026-11-15). Registered as `agentStop` it sends camelCase and no event name, as `Stop` snake_case.
 * Exit code 2 does not block.
 */
export const copilot: Host = {
  name: "copilot",
  title: "Copilot CLI",
  stopEvents: copilotEvents,
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
  parse: stopParser(copilotEvents, readCopilotStop),
  render: noticedAnswer,
  sample: (stop) => ({
    ...snakeCaseSample("Stop", stop),
    timestamp: SAMPLE_TIME,
    stop_reason: "end_turn",
  }),
  take: (answer) => takeDecision(answer, { exitCode2Blocks: false }),
};

function readCopilotStop(payload: Payload, surroundings: Surroundings): StopEvent {
  return {
    host: "copilot",
    cwd: absolutePath(textOf(payload, "cwd") ?? surroundings.cwd),
    continued: flagOf(payload, "stop_hook_active"),
    backgroundTasks: [],
    sessionId: textOf(payload, "sessionId") ?? textOf(payload, "session_id"),
    transcriptPath: textOf(payload, "transcriptPath") ?? textOf(payload, "transcript_path"),
    hostVersion: surroundings.env["COPILOT_CLI_BINARY_VERSION"],
    stopReason: textOf(payload, "stopReason") ?? textOf(payload, "stop_reason"),
  };
}

const vscodeEvents = ["Stop"];

/**
 * From its source and documentation (2026-11-15), not measured. It ignores a top-level `decision` and reads
 * `hookSpecificOutput`, or the stderr of exit code 2.
 */
export const vscode: Host = {
  name: "vscode",
  title: "VS Code chat",
  stopEvents: vscodeEvents,
  timeoutUnit: "s",
  defaultTimeoutMs: 30_000,
  allowsUnknownKeys: true,
  readsStderr: true,
  registration: {
    ...GITHUB_HOOKS,
    executables: ["code"],
    homeFolder: ".vscode",
    alsoReads: [
      { host: "claude-code", level: "project", when: "always" },
      { host: "claude-code", level: "user", when: "always" },
    ],
  },
  parse: parseVscode,
  render: renderVscode,
  sample: (stop) => ({
    timestamp: SAMPLE_TIME,
    cwd: stop.cwd,
    sessionId: stop.sessionId,
    hookEventName: "Stop",
    stop_hook_active: stop.blockedBefore > 0,
  }),
  take: takeVscode,
};

function parseVscode(payload: Payload, surroundings: Surroundings): ParsedStop {
  const name = textOf(payload, "hookEventName") ?? textOf(payload, "hook_event_name");
  if (name !== undefined && !vscodeEvents.includes(name)) return { kind: "other-event", name };
  return {
    kind: "stop",
    event: {
      host: "vscode",
      cwd: absolutePath(textOf(payload, "cwd") ?? surroundings.cwd),
      continued: flagOf(payload, "stop_hook_active"),
      backgroundTasks: [],
      sessionId: textOf(payload, "sessionId") ?? textOf(payload, "session_id"),
      transcriptPath: textOf(payload, "transcript_path"),
    },
  };
}

function renderVscode(verdict: Verdict): HostAnswer {
  if (verdict.decision === "allow") return jsonAnswer({ systemMessage: verdict.notice });
  const reason = verdict.feedback;
  const answer = jsonAnswer({ hookSpecificOutput: { hookEventName: "Stop", decision: "block", reason } });
  return { ...answer, stderr: `${reason}\n`, exitCode: 2 };
}

function takeVscode(answer: HostAnswer): Taken {
  if (answer.exitCode === 2) return { agent: "goes-on", agentReads: answer.stderr.trimEnd() };
  const json = answeredJson(answer);
  if (json === undefined) return NOT_ONE_LINE;
  const specific = json["hookSpecificOutput"];
  const reason =
    isRecord(specific) && specific["decision"] === "block" ? textOf(specific, "reason") : undefined;
  const told = { personSees: textOf(json, "systemMessage") };
  return reason === undefined
    ? { agent: "stops", ...told }
    : { agent: "goes-on", agentReads: reason, ...told };
}
