import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot, vscode } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { droid } from "./droid.ts";
import { gemini } from "./gemini.ts";
import { grok } from "./grok.ts";
import type { Host, Payload, Surroundings } from "./host.ts";
import { kimi } from "./kimi.ts";
import { kilo, opencode, pi } from "./plugin-hosts.ts";
import { qwen } from "./qwen.ts";
import {
  parseObject,
  textOf,
  plainAnswer,
  takeDecision,
  stopParser,
  snakeCaseSample,
  snakeCaseStop,
} from "./protocol.ts";
import type { StopEvent } from "./stop-event.ts";
import { closest } from "../words.ts";

const likelyEvents = ["Stop", "stop", "AfterAgent", "agentStop"];

/** It gets the one answer that every measured host understands. */
const unknownHost: Host = {
  name: "unknown",
  title: "an unknown host",
  stopEvents: likelyEvents,
  blockCap: 5,
  timeoutUnit: "s",
  defaultTimeoutMs: 60_000,
  allowsUnknownKeys: false,
  parse: stopParser(likelyEvents, (payload, surroundings) => snakeCaseStop("unknown", payload, surroundings)),
  render: plainAnswer,
  sample: (stop) => snakeCaseSample("Stop", stop),
  take: (answer) => takeDecision(answer, { exitCode2Blocks: false, onlyKeys: ["decision", "reason"] }),
};

export const HOSTS: readonly Host[] = [
  claudeCode,
  codex,
  gemini,
  qwen,
  copilot,
  droid,
  opencode,
  kilo,
  grok,
  kimi,
  pi,
  cursor,
  vscode,
  unknownHost,
];

export function findHost(name: string): Host | undefined {
  return HOSTS.find((host) => host.name === name);
}

export type ReadStop =
  | { readonly kind: "stop" | "ended"; readonly host: Host; readonly event: StopEvent }
  | { readonly kind: "no-stop"; readonly host?: Host; readonly detail?: string };

/** Any text has an answer. */
export function readStop(text: string, surroundings: Surroundings, named?: Host): ReadStop {
  const payload = parseObject(text);
  if (payload === undefined) return { kind: "no-stop" };
  const host = named ?? recogniseHost(payload, surroundings);
  const parsed = host.parse(payload, surroundings);
  if (parsed.kind === "other-event") return { kind: "no-stop", host, detail: `${parsed.name} is not a stop` };
  return { kind: parsed.kind, host, event: parsed.event };
}

interface Sign {
  readonly host: Host;
  readonly matches: (payload: Payload, surroundings: Surroundings) => boolean;
}

/** The first match wins: marks of one host come before shared fields. */
const SIGNS: readonly Sign[] = [
  ...[opencode, kilo, pi].map((host) => ({
    host,
    matches: (payload: Payload) => textOf(payload, "client") === host.name,
  })),
  { host: codex, matches: (payload) => has(payload, "turn_id") },
  { host: grok, matches: (payload) => has(payload, "workspaceRoot", "stopHookActive") },
  { host: kimi, matches: (payload) => textOf(payload, "client_type") === "kimi_code_cli" },
  { host: gemini, matches: (payload) => textOf(payload, "hook_event_name") === "AfterAgent" },
  { host: cursor, matches: (payload) => has(payload, "conversation_id", "generation_id") },
  { host: droid, matches: (payload) => has(payload, "tool_execution_count") },
  { host: qwen, matches: (payload, { env }) => has(payload, "context_usage") || isOldQwen(payload, env) },
  { host: copilot, matches: (payload) => has(payload, "timestamp") && hasAny(payload, STOP_REASONS) },
  { host: vscode, matches: (payload) => has(payload, "timestamp", "stop_hook_active") },
  { host: claudeCode, matches: looksLikeClaudeCode },
];

/** Without `--host`. */
export function recogniseHost(payload: Payload, surroundings: Surroundings): Host {
  return SIGNS.find((sign) => sign.matches(payload, surroundings))?.host ?? unknownHost;
}

function has(payload: Payload, ...keys: readonly string[]): boolean {
  return keys.every((key) => key in payload);
}

function hasAny(payload: Payload, keys: readonly string[]): boolean {
  return keys.some((key) => key in payload);
}

/** Registered as `agentStop` and as `Stop`. */
const STOP_REASONS = ["stopReason", "stop_reason"];

/** Before 0.21 Qwen sends the same fields as VS Code; only its environment tells. */
function isOldQwen(payload: Payload, env: Surroundings["env"]): boolean {
  return has(payload, "timestamp") && env["QWEN_PROJECT_DIR"] !== undefined;
}

/**
 * The default: a payload is foreign only if it names an event that Claude Code lacks, or if none of its fields is Claude
 * Code's.
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

/** Claude Code 2.1.325 (2026-11-15). */
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

/** Agents whose stop cannot be blocked, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  "amazon-q": "its hooks cannot keep the agent from stopping",
  kiro: "its hooks cannot keep the agent from stopping",
  goose: "its Stop hook is documented but we have not seen it work, and there is no adapter for it yet",
  cline: "it ignores what its TaskComplete hook answers",
  windsurf: "its hooks cannot keep the agent from stopping",
  crush: "it has no hook at the end of a turn",
  auggie: "its hooks cannot keep the agent from stopping",
  continue: "its hooks cannot keep the agent from stopping",
  eca: "there is no adapter for its `postRequest` hook yet",
};

export function refusal(name: string, known: readonly { readonly name: string }[]): string {
  const reason = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  if (reason !== undefined) return `${name} cannot be gated: ${reason}.`;
  const names = known.map((host) => host.name);
  const shortNames = new Map(
    names.flatMap((full) => [[full.split("-")[0] ?? full, full] as const, [full, full]]),
  );
  const meant = shortNames.get(closest(name, [...shortNames.keys()]) ?? "");
  const hint = meant === undefined ? "." : `: did you mean \`${meant}\`?`;
  return `There is no agent "${name}" here${hint} Known: ${names.join(", ")}.`;
}
