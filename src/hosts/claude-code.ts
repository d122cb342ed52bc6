import { isRecord } from "../json.ts";
import type { StopEvent, StopKind } from "./stop-event.ts";
import type { Block, Verdict } from "../stop/verdict.ts";
import {
  jsonAnswer,
  answeredJson,
  takeDecision,
  backgroundTasksOf,
  textOf,
  snakeCaseSample,
  snakeCaseStop,
} from "./protocol.ts";
import type { Host, HostAnswer, JsonHooks, ParsedStop, Payload, Surroundings, Taken } from "./host.ts";

/** Claude Code silently skips a settings file with comments (2.1.325, 2026-11-15). */
export const CLAUDE_CODE_HOOKS = {
  format: "json",
  events: {
    session_start: "SessionStart",
    prompt: "UserPromptSubmit",
    config_change: "ConfigChange",
    stop: "Stop",
    subagent_stop: "SubagentStop",
    task_completed: "TaskCompleted",
    teammate_idle: "TeammateIdle",
    stop_failure: "StopFailure",
    session_end: "SessionEnd",
    edit: "PostToolBatch", // once for all tools of a message; PostToolUse alone names the files that a command changed
    shell_edit: "PostToolUse",
  },
  shellMatcher: "Bash",
  unawaited: { async: true },
  projectFile: ".claude/settings.local.json",
  sharedFile: ".claude/settings.json",
  otherProjectFiles: [".claude/settings.json"],
  userFile: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json" },
  isShared: true,
  grouped: true,
  fields: { type: "command" },
  background: { asyncRewake: true },
  executables: ["claude"],
  homeFolder: ".claude",
} as const satisfies JsonHooks;

/** Measured with 2.1.325 (2026-11-15). */
export const claudeCode: Host = {
  name: "claude-code",
  title: "Claude Code",
  stopEvents: ["Stop"],
  blockCap: 8,
  timeoutUnit: "s",
  defaultTimeoutMs: 600_000,
  allowsUnknownKeys: true,
  registration: CLAUDE_CODE_HOOKS,
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
  take,
};

function parse(payload: Payload, surroundings: Surroundings): ParsedStop {
  const name = textOf(payload, "hook_event_name") ?? "Stop";
  const event = {
    ...snakeCaseStop("claude-code", payload, surroundings),
    promptId: textOf(payload, "prompt_id"),
    stopReason: textOf(payload, "stop_reason"),
  };
  switch (name) {
    case "Stop":
      return {
        kind: "stop",
        event: { ...event, backgroundTasks: backgroundTasksOf(payload, "background_tasks") },
      };
    case "SubagentStop":
      return { kind: "stop", event: { ...event, kind: "subagent_stop", ...part(payload, "agent_id") } };
    case "TaskCompleted":
      return {
        kind: "stop",
        event: { ...event, ...FLAGLESS, kind: "task_completed", ...part(payload, "task_id") },
      };
    case "TeammateIdle":
      return {
        kind: "stop",
        event: { ...event, ...FLAGLESS, kind: "teammate_idle", ...part(payload, "agent_id") },
      };
    case "StopFailure":
    case "SessionEnd":
      return { kind: "ended", event };
    default:
      return { kind: "other-event", name };
  }
}

/** These events come without `stop_hook_active`. */
const FLAGLESS = { isFlagless: true } as const;

/** A sub-agent, a teammate and a task have a budget of their own. */
function part(payload: Payload, key: string): Pick<StopEvent, "sessionId" | "parentId" | "agentType"> {
  const parentId = textOf(payload, "session_id");
  const names = [parentId, textOf(payload, key)].filter((name) => name !== undefined);
  return {
    sessionId: names.length === 0 ? undefined : names.join("."),
    parentId,
    agentType: textOf(payload, "agent_type"),
  };
}

/** `continue` is never sent: `false` ends the turn and beats a block. */
function render(verdict: Verdict, event?: StopEvent): HostAnswer {
  const { status, message, notice: systemMessage } = verdict;
  if (verdict.decision === "block")
    return jsonAnswer({ decision: "block", ...reasonFor(verdict, event), status, message, systemMessage });
  const isTurn = (event?.kind ?? "stop") === "stop";
  return jsonAnswer(isTurn ? { decision: "approve", status, message, systemMessage } : { systemMessage });
}

/**
 * The model sees a block's `reason` twice (as user and as system message, 2.1.325), but `additionalContext` once: so the reason
 * is the first line, and the rest is context. Versions before 2.1.170 drop an answer with such context and stop; all that send
 * a `prompt_id` (some time after 2.1.181) take it. From 10,000 characters on only a preview is shown.
 */
function reasonFor({ feedback: reason }: Block, event: StopEvent | undefined): object {
  const hookEventName = WITH_CONTEXT[event?.kind ?? "stop"];
  const [first = "", ...rest] = reason.split("\n");
  const additionalContext = rest.join("\n").trim();
  const isSplit =
    event?.promptId !== undefined && additionalContext !== "" && additionalContext.length <= MAX_CONTEXT;
  if (!isSplit || hookEventName === undefined) return { reason };
  return { reason: first, hookSpecificOutput: { hookEventName, additionalContext } };
}

const MAX_CONTEXT = 9_900;

/** The reason of a completed task arrives once, as the tool's result. */
const WITH_CONTEXT: Partial<Readonly<Record<StopKind, string>>> = {
  stop: "Stop",
  subagent_stop: "SubagentStop",
};

function take(answer: HostAnswer): Taken {
  const taken = takeDecision(answer, {
    exitCode2Blocks: true,
    wrap: (reason) => `Stop hook feedback:\n${reason}${contextIn(answer)}`,
  });
  return taken.personSees === undefined ? taken : { ...taken, personSees: `Stop says: ${taken.personSees}` };
}

function contextIn(answer: HostAnswer): string {
  const specific = answeredJson(answer)?.["hookSpecificOutput"];
  const context = isRecord(specific) ? textOf(specific, "additionalContext") : undefined;
  return context === undefined ? "" : `\n\nStop hook additional context: ${context}`;
}
