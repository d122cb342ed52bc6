import type { BackgroundTask } from "../core/stop-event.ts";
import type { Payload } from "./host.ts";
import { recordsOf, textOf } from "./payload.ts";

/** The work that Claude Code, and Grok Build after it, list as still going on. */
export function backgroundTasksOf(payload: Payload, key: string): readonly BackgroundTask[] {
  return recordsOf(payload, key).map((task) => ({
    kind: kindOfTask(textOf(task, "type")),
    description: textOf(task, "description") ?? "",
  }));
}

function kindOfTask(type = ""): BackgroundTask["kind"] {
  if (AGENT_TASKS.has(type)) return "agent";
  return type === "shell" ? "shell" : "other";
}

/**
 * The types behind which a model works (Claude Code 2.1.325, 2026-11-15). A teammate is not among them: an idle one stays in the
 * list as `running` until the session ends, and would put the gates off at every prompt.
 */
const AGENT_TASKS: ReadonlySet<string> = new Set(["subagent", "workflow", "cloud session"]);
