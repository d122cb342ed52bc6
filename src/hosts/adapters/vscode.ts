import { isRecord } from "../../core/json.ts";
import { definedOnly } from "../../core/defined-only.ts";
import { absolutePath } from "../../core/path.ts";
import type { Verdict } from "../../core/stop/verdict.ts";
import { jsonAnswer, systemMessageOf, answeredJson, flagOf, textOf, SAMPLE_TIME } from "../protocol.ts";
import { GITHUB_HOOKS } from "./copilot.ts";
import type { Host, HostAnswer, ParsedStop, Payload, Surroundings, Taken } from "../host.ts";

const stopEvents = ["Stop"];

/**
 * The Copilot chat of VS Code (from its source and documentation, 2026-11-15; not measured). A top-level `decision` means
 * nothing to it: it reads `hookSpecificOutput`, or the stderr of exit code 2.
 */
export const vscode: Host = {
  name: "vscode",
  title: "VS Code chat",
  stopEvents,
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
  parse,
  render,
  sample: (stop) => ({
    timestamp: SAMPLE_TIME,
    cwd: stop.cwd,
    sessionId: stop.sessionId,
    hookEventName: "Stop",
    stop_hook_active: stop.blockedBefore > 0,
  }),
  take: take,
};

function parse(payload: Payload, surroundings: Surroundings): ParsedStop {
  const name = textOf(payload, "hookEventName") ?? textOf(payload, "hook_event_name");
  if (name !== undefined && !stopEvents.includes(name)) return { kind: "other-event", name };
  return {
    kind: "stop",
    event: {
      host: "vscode",
      cwd: absolutePath(textOf(payload, "cwd") ?? surroundings.cwd),
      continued: flagOf(payload, "stop_hook_active"),
      backgroundTasks: [],
      ...definedOnly({
        sessionId: textOf(payload, "sessionId") ?? textOf(payload, "session_id"),
        transcriptPath: textOf(payload, "transcript_path"),
      }),
    },
  };
}

function render(verdict: Verdict): HostAnswer {
  if (verdict.decision === "allow") return jsonAnswer(systemMessageOf(verdict));
  const reason = verdict.feedback;
  const answer = jsonAnswer({ hookSpecificOutput: { hookEventName: "Stop", decision: "block", reason } });
  return { ...answer, stderr: `${reason}\n`, exitCode: 2 };
}

function take(answer: HostAnswer): Taken {
  if (answer.exitCode === 2) return { agent: "goes-on", agentReads: answer.stderr.trimEnd() };
  const json = answeredJson(answer);
  if (json === undefined) return { agent: "stops", problem: "the answer is not one line of JSON" };
  const specific = json["hookSpecificOutput"];
  const reason =
    isRecord(specific) && specific["decision"] === "block" ? textOf(specific, "reason") : undefined;
  const told = definedOnly({ personSees: textOf(json, "systemMessage") });
  return reason === undefined
    ? { agent: "stops", ...told }
    : { agent: "goes-on", agentReads: reason, ...told };
}
