import { isRecord, parseJson } from "../json.ts";
import type { Payload, ParsedStop, SampleStop, Surroundings, Host, HostAnswer, Taken } from "./host.ts";
import { type AbsolutePath, absolutePath } from "../path.ts";
import type { StopEvent, BackgroundTask } from "./stop-event.ts";
import type { Verdict } from "../stop/verdict.ts";

export function parseObject(text: string): Payload | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

/** Anything but a non-empty string counts as absent. */
export function textOf(payload: Payload, key: string): string | undefined {
  const value = payload[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function flagOf(payload: Payload, key: string): boolean {
  return payload[key] === true;
}

export function recordsOf(payload: Payload, key: string): readonly Payload[] {
  const value = payload[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Undefined for a stop event; an absent name counts as one. */
export function otherEvent(
  payload: Payload,
  stopEvents: readonly string[],
): Extract<ParsedStop, { kind: "other-event" }> | undefined {
  const name = textOf(payload, "hook_event_name");
  return name === undefined || stopEvents.includes(name) ? undefined : { kind: "other-event", name };
}

/** Reads a payload as a stop, unless it names another event. */
export function stopParser(
  stopEvents: readonly string[],
  read: (payload: Payload, surroundings: Surroundings) => StopEvent,
): Host["parse"] {
  return (payload, surroundings) =>
    otherEvent(payload, stopEvents) ?? { kind: "stop", event: read(payload, surroundings) };
}

/** The fields of Claude Code that most hosts took over. */
export function snakeCaseStop(host: string, payload: Payload, surroundings: Surroundings): StopEvent {
  return {
    host,
    cwd: absolutePath(textOf(payload, "cwd") ?? surroundings.cwd),
    continued: flagOf(payload, "stop_hook_active"),
    backgroundTasks: [],
    projectDir: projectDirIn(surroundings.env),
    sessionId: textOf(payload, "session_id"),
    transcriptPath: textOf(payload, "transcript_path"),
    lastMessage: textOf(payload, "last_assistant_message"),
    permissionMode: textOf(payload, "permission_mode"),
  };
}

/** The first of the directories that the host has open. */
export function workspaceOf(payload: Payload): string | undefined {
  const roots = payload["workspace_roots"];
  const first: unknown = Array.isArray(roots) ? roots[0] : undefined;
  return typeof first === "string" && first !== "" ? first : undefined;
}

/** Hosts name the directory that they were started in, each under its own name. */
function projectDirIn(env: Surroundings["env"]): AbsolutePath | undefined {
  const names = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "FACTORY_PROJECT_DIR"];
  const found = names
    .map((name) => env[name])
    .find((dir) => dir !== undefined && /^(?:\/|[A-Za-z]:)/.test(dir));
  return found === undefined ? undefined : absolutePath(found);
}

export function snakeCaseSample(event: string, stop: SampleStop): Payload {
  return {
    session_id: stop.sessionId,
    transcript_path: `/tmp/${stop.sessionId}.jsonl`,
    cwd: stop.cwd,
    hook_event_name: event,
    stop_hook_active: stop.blockedBefore > 0,
  };
}

export const SAMPLE_TIME = "2026-01-01T00:00:00.000Z";

/** Work that Claude Code and Grok Build list as running. */
export function backgroundTasksOf(payload: Payload, key: string): readonly BackgroundTask[] {
  return recordsOf(payload, key)
    .filter(isGoingOn)
    .map((task) => ({
      kind: kindOfTask(textOf(task, "type")),
      description: textOf(task, "description") ?? "",
    }));
}

function isGoingOn(task: Payload): boolean {
  return ["running", "pending"].includes(textOf(task, "status") ?? "running");
}

function kindOfTask(type = ""): BackgroundTask["kind"] {
  if (AGENT_TASKS.has(type)) return "agent";
  return type === "shell" ? "shell" : "other";
}

/**
 * A model works on these files (Claude Code 2.1.325, 2026-11-15). Not a teammate: an idle one stays `running` until the session
 * ends, and would postpone the gates at every prompt. Not a cloud session, which works elsewhere.
 */
const AGENT_TASKS: ReadonlySet<string> = new Set(["subagent", "workflow"]);

/** What every host reads. */
export function jsonAnswer(answer: Readonly<Record<string, unknown>>): HostAnswer {
  return { stdout: `${JSON.stringify(answer)}\n`, stderr: "", exitCode: 0 };
}

/** For hosts that drop an answer with an unknown key. */
export function plainAnswer(verdict: Verdict): HostAnswer {
  if (verdict.decision === "allow") return jsonAnswer({});
  return jsonAnswer({ decision: "block", reason: verdict.feedback });
}

/** The decision, and a notice for the user. */
export function noticedAnswer(verdict: Verdict): HostAnswer {
  if (verdict.decision === "allow") return jsonAnswer({ systemMessage: verdict.notice });
  return jsonAnswer({ decision: "block", reason: verdict.feedback, systemMessage: verdict.notice });
}

/** In the background only exit code 2 and stderr reach the agent. */
export const BACKGROUND_FLAG = "--background";

/** The hook serves every project, and runs only what the user allowed. */
export const ONLY_ALLOWED_FLAG = "--only-allowed";

/** A host that runs the hook in the foreground gets its usual answer. */
export function wakingAnswer(usual: HostAnswer, host: Host, verdict: Verdict): HostAnswer {
  const { registration } = host;
  const canWake = registration?.format === "json" && registration.background !== undefined;
  if (!canWake || verdict.decision === "allow") return usual;
  return { stdout: "{}\n", stderr: `${verdict.feedback}\n`, exitCode: 2 };
}

/** How hosts that copied Claude Code's protocol differ. */
export interface Reading {
  /** With stderr as the reason. */
  readonly exitCode2Blocks: boolean;
  /** One more key and it drops the answer. */
  readonly onlyKeys?: readonly string[];
  /** As the model sees it. */
  readonly wrap?: (reason: string) => string;
}

/** Exactly one line of JSON, or the stderr of exit code 2. */
export function takeDecision(answer: HostAnswer, reading: Reading): Taken {
  const wrap = reading.wrap ?? ((reason) => reason);
  if (answer.exitCode === 2 && reading.exitCode2Blocks)
    return { agent: "goes-on", agentReads: wrap(answer.stderr.trimEnd()) };
  const json = answeredJson(answer);
  if (json === undefined) return NOT_ONE_LINE;
  const unknown = Object.keys(json).find((key) => reading.onlyKeys?.includes(key) === false);
  if (unknown !== undefined)
    return { agent: "stops", problem: `it does not know "${unknown}" and drops the answer` };
  const told = { personSees: textOf(json, "systemMessage") };
  const reason = textOf(json, "reason");
  if (json["continue"] === false)
    return { agent: "stops", problem: "`continue: false` ends the turn", ...told };
  if (json["decision"] !== "block") return { agent: "stops", ...told };
  if (reason === undefined) return { agent: "stops", problem: "a block needs a reason", ...told };
  return { agent: "goes-on", agentReads: wrap(reason), ...told };
}

export const NOT_ONE_LINE: Taken = { agent: "stops", problem: "the answer is not one line of JSON" };

/** Undefined unless the hook exited with 0 and printed one line. */
export function answeredJson({ stdout, exitCode }: HostAnswer): Payload | undefined {
  if (exitCode !== 0 || !/^[^\n]*\n?$/.test(stdout)) return undefined;
  return parseObject(stdout);
}
