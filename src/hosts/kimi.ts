import { isRecord } from "../json.ts";
import type { Verdict } from "../stop/verdict.ts";
import {
  jsonAnswer,
  answeredJson,
  NOT_ONE_LINE,
  textOf,
  stopParser,
  snakeCaseSample,
  snakeCaseStop,
} from "./protocol.ts";
import type { Host, HostAnswer, Taken } from "./host.ts";

const stopEvents = ["Stop"];

/**
 * Measured with 2.1.0 (2026-11-15). It continues a turn once and does not ask about the next stop, so `stop_hook_active` is
 * always false. It ignores `decision`, and has no hooks per project.
 */
export const kimi: Host = {
  name: "kimi",
  title: "Kimi Code",
  stopEvents,
  timeoutUnit: "s",
  defaultTimeoutMs: 30_000,
  allowsUnknownKeys: true,
  registration: {
    format: "toml",
    events: { stop: "Stop", session_start: "SessionStart", edit: "PostToolUse" },
    userFile: { variable: "KIMI_CODE_HOME", folder: ".kimi-code", file: "config.toml" },
    executables: ["kimi"],
    homeFolder: ".kimi-code",
  },
  parse: stopParser(stopEvents, (payload, surroundings) => snakeCaseStop("kimi", payload, surroundings)),
  render,
  sample: (stop) => {
    const { transcript_path: _, ...sample } = snakeCaseSample("Stop", stop);
    return { ...sample, client_type: "kimi_code_cli" };
  },
  take,
};

function render(verdict: Verdict): HostAnswer {
  if (verdict.decision === "allow") return jsonAnswer({});
  return jsonAnswer({
    hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: verdict.feedback },
  });
}

function take(answer: HostAnswer): Taken {
  if (answer.exitCode === 2) return { agent: "goes-on", agentReads: answer.stderr.trimEnd() };
  const json = answeredJson(answer);
  if (json === undefined) return NOT_ONE_LINE;
  const specific = json["hookSpecificOutput"];
  if (!isRecord(specific) || specific["permissionDecision"] !== "deny") return { agent: "stops" };
  return { agent: "goes-on", agentReads: textOf(specific, "permissionDecisionReason") ?? "" };
}
