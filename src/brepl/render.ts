import type { Status } from "../stop/status.ts";
import type { Verdict } from "../stop/verdict.ts";
import type { HostAnswer } from "../hosts/host.ts";

/** Allowed without a message. Every other allowed stop exits with 1 and says why. */
const QUIET: ReadonlySet<Status> = new Set([
  "passed",
  "no_config",
  "no_applicable_gates",
  "stop_hook_active",
]);

/**
 * The answer of `brepl hook stop`, in exit codes: 0 allowed, 1 allowed with a message to the user, 2 blocked with
 * what stderr says. Claude Code (2.1.325, 2026-11-15) shows the text of 1 to the user only, that of 2 to the model.
 */
export function renderBrepl(verdict: Verdict): HostAnswer {
  if (verdict.decision === "block") return { stdout: "", stderr: asLines(verdict.feedback), exitCode: 2 };
  const { status, message, notice } = verdict;
  if (!QUIET.has(status)) return { stdout: "", stderr: asLines(notice ?? message), exitCode: 1 };
  return { stdout: '{"decision": "approve"}\n', stderr: asLines(notice ?? ""), exitCode: 0 };
}

function asLines(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
