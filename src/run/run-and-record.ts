import type { RunRequest } from "./request.ts";
import { type RunResult, runFacts } from "./result.ts";
import { explain } from "../trouble.ts";
import type { TerminalCommand } from "../ledger/verdict-record.ts";
import { elapsedMs } from "../system/clock.ts";
import { currentEnv } from "../system/process/environment.ts";
import { run } from "./run.ts";
import { recordRun } from "../ledger/record-verdict.ts";

/** The engine for programs that are not a command line. The package holds it once: the library and the SDK load that of `agent-gauntlet`. */
export { answerStop } from "../stop/answer-stop.ts";
export { handleStop } from "../stop/handle-stop.ts";

/** A run for a program that is not a stop hook, with its verdict in the ledger; a rehearsal elsewhere leaves no trace. */
export async function runAndRecord(request: RunRequest, command: TerminalCommand): Promise<RunResult> {
  const since = elapsedMs();
  const result = await run(request);
  if (request.logDir !== undefined) return result;
  const { cwd, env = currentEnv() } = request;
  const recorded = recordRun({ cwd, env, command }, runFacts(result), Math.round(elapsedMs() - since));
  if (recorded.ok) return result;
  return { ...result, warnings: [...result.warnings, `${NOT_RECORDED} ${explain(recorded.trouble)}`] };
}

const NOT_RECORDED = "This run is not in the ledger.";
