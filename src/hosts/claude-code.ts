import { definedOnly } from "../core/defined-only.ts";
import type { Verdict } from "../core/verdict.ts";
import { blockReason, jsonAnswer, noticeOf } from "./answer.ts";
import { backgroundTasksOf } from "./background-tasks.ts";
import type { Host, HostAnswer, JsonHooks, ParsedStop, Payload, Surroundings } from "./host.ts";
import { textOf } from "./payload.ts";
import { otherEvent, snakeCaseSample, snakeCaseStop } from "./snake-case-stop.ts";
import { takeDecision } from "./take-answer.ts";

const stopEvents = ["Stop"];

/** Where Claude Code keeps hooks; it silently skips a settings file with comments (2.1.325, 2026-11-15). */
export const CLAUDE_CODE_HOOKS = {
  format: "json",
  events: { stop: "Stop" },
  projectFile: ".claude/settings.local.json",
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
} as const satisfies JsonHooks;

/** Claude Code (measured with 2.1.325, 2026-11-15). */
export const claudeCode: Host = {
  name: "claude-code",
  title: "Claude Code",
  stopEvents,
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
      backgroundTasks: backgroundTasksOf(payload, "background_tasks"),
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
