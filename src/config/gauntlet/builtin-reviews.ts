const PRIMARY = {
  "code-quality": `Read the change as the colleague who will maintain it.
Report logic that gives a wrong result for some input, edge cases that are not handled, code that contradicts its
names or comments, duplication of something the project already has, and complexity a simpler form would remove.
Leave out matters of taste and anything a formatter or linter decides.`,

  security: `Read the change as someone who wants to abuse it.
Report untrusted input that reaches a shell, a query, a path, a template or a deserialiser; missing or wrong
authorisation; secrets in code or logs; weak or home-made cryptography; unsafe defaults; and new dependencies that
widen the attack surface. For each finding name the input and what an attacker gains.`,

  "error-handling": `Follow every way in which the changed code can fail.
Report errors that are swallowed, logged and forgotten, or turned into a success; catch blocks wider than what they
can handle; missing timeouts and clean-up; promises that are never awaited; messages that do not say what happened and where;
and fallbacks that hide a failure from the caller.`,
} as const;

/** Each combined review is one request that asks for all of its parts. */
export const BUILTIN_REVIEWS = {
  ...PRIMARY,
  "security-and-errors": inOne(PRIMARY.security, PRIMARY["error-handling"]),
  "all-reviewers": inOne(PRIMARY["code-quality"], PRIMARY.security, PRIMARY["error-handling"]),

  "task-compliance": `Compare the change with the task it was made for: the plans, specifications and task lists of the
project that describe it. Report requirements that are missing, done only in part, or done differently from what is written,
tasks that are marked as done and are not, and changes that no requirement asks for. If no text of the project describes the
task, report nothing.`,

  "test-integrity": `Compare the tests before and after the change.
Report tests that were deleted, skipped, narrowed or loosened so that they pass; assertions that cannot fail;
expectations rewritten to match wrong behaviour; mocks that replace the very thing under test; and changed behaviour
that no test covers.`,
} as const;

export type BuiltinReview = keyof typeof BUILTIN_REVIEWS;

function inOne(...prompts: readonly string[]): string {
  return `Review the change once for each of these instructions.\n\n${prompts.join("\n\n")}`;
}

// The keys of a constant object are exactly its type's keys.
export const BUILTIN_REVIEW_NAMES = Object.keys(BUILTIN_REVIEWS) as BuiltinReview[];
