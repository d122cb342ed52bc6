import type { Diagnostic } from "../../trouble.ts";

/** Keys that configurations of the original system have, and why they mean nothing here. */
const WHY_WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  auto_push_pr: "pull requests are left to you",
  auto_fix_pr: "pull requests are left to you",
  check_usage_limit: "a reviewer that reaches its limit is left alone until the limit ends",
  logging: "every gate has a log in `log_dir`, and `debug_log` turns the debug log on",
  max_previous_logs: "the logs of one earlier run are kept",
  pass_pattern: "a review passes if its answer has no open findings",
  include_context: "a reviewer reads the files of the project itself",
  rerun_command: "without `reruns`, a check runs its `command` each time",
  git_ref: "a review sees the changes since `base_branch`",
  reviewers: "`cli_preference` names the reviewers",
};

const NO_EFFECT = "has no effect here: ";

/** What to say about such a key. */
export function withoutEffect(key: string): string | undefined {
  return Object.hasOwn(WHY_WITHOUT_EFFECT, key)
    ? `\`${key}\` ${NO_EFFECT}${WHY_WITHOUT_EFFECT[key]}`
    : undefined;
}

/** Said once, however many files have the key. */
export function isWithoutEffect({ message }: Diagnostic): boolean {
  return message.includes(NO_EFFECT);
}
