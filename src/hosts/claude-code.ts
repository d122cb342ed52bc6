import { definedOnly } from "../core/defined-only.ts";
import type { BackgroundTask } from "../core/stop-event.ts";
import type { Verdict } from "../core/verdict.ts";
import { blockReason, jsonAnswer, noticeOf } from "./answer.ts";
import type { Host, HostAnswer, ParsedStop, Payload, Surroundings } from "./host.ts";
import { recordsOf, textOf } from "./payload.ts";
import { otherEvent, snakeCaseSample, snakeCaseStop } from "./snake-case-stop.ts";
import { takeDecision } from "./take-answer.ts";

const stopEvents = ["Stop"];

/** Claude Code (measured with 2.1.325, 2026-11-15). */
export const claudeCode: Host = {
  name: "claude-code",
  title: "Claude Code",
  stopEvents,
  blockCap: 8,
  timeoutUnit: "s",
  defaultTimeoutMs: 600_000,
  allowsUnknownKeys: true,
  registration: {
    event: "Stop",
    projectFile: ".claude/settings.local.json",
    sharedFile: ".claude/settings.json",
    otherProjectFiles: [".claude/settings.json"],
    userFile: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json" },
    eventsKey: "hooks",
    isShared: true,
    takesComments: false,
    grouped: true,
    fields: { type: "command" },
    executables: ["claude"],
    homeFolder: ".claude",
    alsoReads: [],
  },
  parse,
  render,
  sample: (stop) => ({
    ...snakeCaseSample("Stop", stop),
    prompt_id: stop.promptId,
    permission_mode: "default",
    last_assistant_message: stop.lastMessage,
    background_tasks: [],
    session_crons: [],
  }),
  take: (answer) => {
    const taken = takeDecision(answer, {
      exitCode2Blocks: true,
      wrap: (reason) => `Stop hook feedback:\n${reason}`,
    });
    return taken.personSees === undefined
      ? taken
      : { ...taken, personSees: `Stop says: ${taken.personSees}` };
  },
};

function parse(payload: Payload, surroundings: Surroundings): ParsedStop {
  const other = otherEvent(payload, stopEvents);
  if (other !== undefined) return other;
  return {
    kind: "stop",
    event: {
      ...snakeCaseStop("claude-code", payload, surroundings),
      backgroundTasks: recordsOf(payload, "background_tasks").map(backgroundTask),
      ...definedOnly({ promptId: textOf(payload, "prompt_id"), stopReason: textOf(payload, "stop_reason") }),
    },
  };
}

/** `continue` is never sent: `false` ends the turn and beats a block. */
function render(verdict: Verdict): HostAnswer {
  const { status, message } = verdict;
  const told = noticeOf(verdict);
  if (verdict.decision === "allow") return jsonAnswer({ decision: "approve", status, message, ...told });
  return jsonAnswer({ decision: "block", reason: blockReason(verdict), status, message, ...told });
}

function backgroundTask(task: Payload): BackgroundTask {
  return {
    kind: kindOfTask(textOf(task, "type")),
    description: textOf(task, "description") ?? "",
  };
}

function kindOfTask(type = ""): BackgroundTask["kind"] {
  if (AGENT_TASKS.has(type)) return "agent";
  return type === "shell" ? "shell" : "other";
}

/** The labels of `background_tasks[].type` behind which a model works (2.1.325, 2026-11-15). */
const AGENT_TASKS: ReadonlySet<string> = new Set(["subagent", "workflow", "teammate", "cloud session"]);
