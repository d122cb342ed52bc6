import { claudeCode } from "./claude-code.ts";
import type { Host, Payload, Surroundings } from "./host.ts";
import { textOf } from "./payload.ts";
import { unknownHost } from "./unknown.ts";

interface Sign {
  readonly host: Host;
  readonly matches: (payload: Payload, surroundings: Surroundings) => boolean;
}

/** First match wins, so marks only one host has come before fields that several share. */
const SIGNS: readonly Sign[] = [{ host: claudeCode, matches: looksLikeClaudeCode }];

/** Which host asks, when nobody said: from what it sent and the environment it gave us. */
export function recogniseHost(payload: Payload, surroundings: Surroundings): Host {
  return SIGNS.find((sign) => sign.matches(payload, surroundings))?.host ?? unknownHost;
}

/**
 * `agent-gauntlet stop-hook` speaks Claude Code's protocol by default: a payload is foreign only when it names an event
 * Claude Code does not have, or has fields and not one of them is Claude Code's.
 */
function looksLikeClaudeCode(payload: Payload): boolean {
  const event = textOf(payload, "hook_event_name");
  if (event !== undefined) return CLAUDE_CODE_EVENTS.has(event);
  const keys = Object.keys(payload);
  return keys.length === 0 || keys.some((key) => CLAUDE_CODE_FIELDS.has(key));
}

const CLAUDE_CODE_FIELDS: ReadonlySet<string> = new Set([
  "session_id",
  "transcript_path",
  "cwd",
  "prompt_id",
  "permission_mode",
  "hook_event_name",
  "stop_hook_active",
  "last_assistant_message",
  "background_tasks",
]);

/** The events a Claude Code hook can be registered for (2.1.325, 2026-11-15). */
const CLAUDE_CODE_EVENTS: ReadonlySet<string> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "PermissionRequest",
  "PermissionDenied",
  "Setup",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "MessageDisplay",
]);
