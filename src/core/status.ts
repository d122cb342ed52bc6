/** What a run came to, spelled as on the wire. Only `failed` blocks a stop. */
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
