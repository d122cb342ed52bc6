import type { HookEffect, HookResult } from "./hook.ts";
import type { Status } from "./status.ts";
import type { Verdict } from "./verdict.ts";

/** What a run of hooks came to: the most severe of them decides. */
export function statusOfHooks(results: readonly HookResult[]): Status {
  const has = (kind: HookEffect["kind"]): boolean => results.some(({ effect }) => effect.kind === kind);
  if (has("retry")) return "failed";
  if (has("not-run")) return "error";
  if (has("gave-up")) return "retry_limit_exceeded";
  if (has("reported")) return "passed_with_warnings";
  return has("passed") ? "passed" : "no_applicable_gates";
}

/** The answer to the stop, given what there is to say about the hooks. */
export function verdictOfHooks(results: readonly HookResult[], report: string): Verdict {
  const status = statusOfHooks(results);
  const message = `brepl stop hooks: ${status.replaceAll("_", " ")}`;
  if (status === "failed") return { decision: "block", status, message, feedback: report };
  return { decision: "allow", status, message, ...(report === "" ? {} : { notice: report }) };
}
