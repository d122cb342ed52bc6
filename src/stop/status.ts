import type { Trouble } from "../trouble.ts";
import type { Troubled } from "../run/result.ts";

/** The result of a run, spelled as in JSON. Only `failed` blocks a stop. */
export const STATUSES = [
  "passed",
  "passed_with_warnings",
  "failed",
  "retry_limit_exceeded",
  "no_changes",
  "no_applicable_gates",
  "lock_conflict",
  "interval_not_elapsed",
  "deferred",
  "no_config",
  "not_allowed",
  "skipped",
  "stop_hook_active",
  "stop_hook_disabled",
  "invalid_input",
  "error",
] as const;

export type Status = (typeof STATUSES)[number];

/** The statuses that say "the work is fine": the exit code of the CLI is 0 for these and 1 for the rest. */
export function isGreen(status: Status): boolean {
  return (
    status === "passed" ||
    status === "passed_with_warnings" ||
    status === "no_changes" ||
    status === "no_applicable_gates"
  );
}

/** The words of the last line of `run`, as in `Status: Passed with warnings`. */
export function statusTitle(status: Status): string {
  const words = status.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a message may tell beside the status. */
export interface MessageFacts {
  /** For `error`, `lock_conflict`, `deferred`, `invalid_input` and reused passes: what exactly. */
  readonly detail?: string | undefined;
  readonly intervalMinutes?: number | undefined;
  /** For `no_changes`: what the work tree was compared to. */
  readonly comparedTo?: string | undefined;
}

/** One line for people about a status. */
export function statusMessage(status: Status, facts: MessageFacts = {}): string {
  return MESSAGES[status](facts);
}

/** The only table of these texts. A run without gates never says "passed". */
const MESSAGES: Readonly<Record<Status, (facts: MessageFacts) => string>> = {
  passed: ({ detail = "all gates completed successfully" }) => `✓ Gauntlet passed — ${detail}.`,
  passed_with_warnings: ({ detail = "no gate blocks, but some need a look" }) =>
    `✓ Gauntlet passed with warnings — ${detail}.`,
  no_changes: ({ comparedTo = "the base" }) =>
    `○ Nothing to check — no changes compared to ${comparedTo}. No gate ran.`,
  no_applicable_gates: ({ detail = "no gate applies to the changes" }) =>
    `○ Nothing to check — ${detail}. No gate ran.`,
  failed: ({ detail = "issues must be fixed before stopping" }) => `✗ Gauntlet failed — ${detail}.`,
  retry_limit_exceeded: ({
    detail = "retry limit exceeded, the gates still fail. Run `agent-gauntlet run` to check again",
  }) => `⚠ Gauntlet terminated — ${detail}.`,
  lock_conflict: ({ detail = "another gauntlet run is already in progress" }) =>
    `⏭ Gauntlet skipped — ${detail}. This stop was not checked.`,
  interval_not_elapsed: ({ intervalMinutes = 0 }) =>
    `⏭ Gauntlet skipped — run interval (${intervalMinutes} min) not elapsed since last run. Changes since then were not checked.`,
  deferred: ({ detail = "the agent is not done yet" }) =>
    `⏸ Gauntlet deferred — ${detail}. Nothing was checked.`,
  no_config: () => "○ Not a gauntlet project — no .gauntlet/config.yml found.",
  not_allowed: ({ detail = "this project's gates have not been allowed" }) =>
    `○ Gauntlet not allowed here — ${detail}. Nothing was run.`,
  skipped: ({ detail = "the user said so" }) => `⏭ Gauntlet skipped — ${detail}. Nothing was checked.`,
  stop_hook_active: () =>
    "↺ Stop hook cycle detected — allowing the stop to prevent an infinite loop. Nothing was checked.",
  stop_hook_disabled: ({ detail = "stop_hook.enabled or GAUNTLET_STOP_HOOK_ENABLED" }) =>
    `○ Gauntlet stop hook is disabled (${detail}). Nothing was checked.`,
  invalid_input: ({ detail = "expected one JSON object on stdin" }) =>
    `⚠ Invalid hook input — ${detail}. Nothing was checked.`,
  error: ({ detail = "the gates could not be run" }) => `⚠ Stop hook error — ${detail}`,
};

export function troubleStatus(trouble: Trouble): Troubled["status"] {
  if (trouble.kind === "no-config") return "no_config";
  return trouble.kind === "lock-held" ? "lock_conflict" : "error";
}
