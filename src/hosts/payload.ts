import type { Payload, ParsedStop, SampleStop, Surroundings } from "./host.ts";
import { definedOnly } from "../core/defined-only.ts";
import { type AbsolutePath, absolutePath } from "../core/path.ts";
import type { StopEvent, BackgroundTask } from "../core/stop/stop-event.ts";

/** The JSON object that a text holds; undefined where it holds anything else. */
export function parseObject(text: string): Payload | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a field; anything but a non-empty string counts as absent. */
export function textOf(payload: Payload, key: string): string | undefined {
  const value = payload[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** True only for the boolean `true`. */
export function flagOf(payload: Payload, key: string): boolean {
  return payload[key] === true;
}

/** The objects in a list field; other elements, and fields that are not lists, count as absent. */
export function recordsOf(payload: Payload, key: string): readonly Payload[] {
  const value = payload[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function isRecord(value: unknown): value is Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The event's name where it is not one of the host's stop events; an absent name counts as a stop. */
export function otherEvent(
  payload: Payload,
  stopEvents: readonly string[],
): Extract<ParsedStop, { kind: "other-event" }> | undefined {
  const name = textOf(payload, "hook_event_name");
  return name === undefined || stopEvents.includes(name) ? undefined : { kind: "other-event", name };
}

/** The fields Claude Code introduced and most other hosts took over. */
export function snakeCaseStop(host: string, payload: Payload, surroundings: Surroundings): StopEvent {
  return {
    host,
    cwd: absolutePath(textOf(payload, "cwd") ?? surroundings.cwd),
    continued: flagOf(payload, "stop_hook_active"),
    backgroundTasks: [],
    ...definedOnly({
      projectDir: projectDirIn(surroundings.env),
      sessionId: textOf(payload, "session_id"),
      transcriptPath: textOf(payload, "transcript_path"),
      lastMessage: textOf(payload, "last_assistant_message"),
      permissionMode: textOf(payload, "permission_mode"),
    }),
  };
}

/** Hosts put the directory they were started in into the hook's environment, each under its own name. */
function projectDirIn(env: Surroundings["env"]): AbsolutePath | undefined {
  const names = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "FACTORY_PROJECT_DIR"];
  const found = names
    .map((name) => env[name])
    .find((dir) => dir !== undefined && /^(?:\/|[A-Za-z]:)/.test(dir));
  return found === undefined ? undefined : absolutePath(found);
}

/** The same fields of a made-up stop. */
export function snakeCaseSample(event: string, stop: SampleStop): Payload {
  return {
    session_id: stop.sessionId,
    transcript_path: `/tmp/${stop.sessionId}.jsonl`,
    cwd: stop.cwd,
    hook_event_name: event,
    stop_hook_active: stop.blockedBefore > 0,
  };
}

/** When made-up stops happen. */
export const SAMPLE_TIME = "2026-01-01T00:00:00.000Z";

/** The work that Claude Code, and Grok Build after it, list as still going on. */
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
 * The types behind which a model works on these files (Claude Code 2.1.325, 2026-11-15). A teammate is not among them: an idle one
 * stays in the list as `running` until the session ends, and would put the gates off at every prompt. Nor is a cloud session, which
 * works elsewhere.
 */
const AGENT_TASKS: ReadonlySet<string> = new Set(["subagent", "workflow"]);
