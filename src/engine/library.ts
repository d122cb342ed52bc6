import type { RunRequest, RunResult } from "../core/run.ts";
import { explain } from "../core/trouble.ts";
import type { TerminalCommand } from "../core/record/verdict-record.ts";
import { elapsedMs } from "../machine/clock.ts";
import { currentEnv } from "../machine/process/environment.ts";
import { executeRun } from "./run.ts";
import { recordRun } from "./proof/record-verdict.ts";

/** The engine for programs that are not a command line. The package holds it once: the library and the SDK load that of `agent-gauntlet`. */
export { handleStop, recordStop } from "./handle-stop.ts";

/** A run for a program that is not a stop hook, with its verdict in the ledger; a rehearsal elsewhere leaves no trace. */
export async function runAndRecord(request: RunRequest, command: TerminalCommand): Promise<RunResult> {
  const since = elapsedMs();
  const result = await executeRun(request);
  if (request.logDir !== undefined) return result;
  const { cwd, env = currentEnv() } = request;
  const recorded = recordRun({ cwd, env, command }, result, Math.round(elapsedMs() - since));
  if (recorded.ok) return result;
  return { ...result, warnings: [...result.warnings, `${NOT_RECORDED} ${explain(recorded.trouble)}`] };
}

const NOT_RECORDED = "This run is not in the ledger.";
