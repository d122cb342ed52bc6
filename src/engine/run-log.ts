import type { RunEvent } from "../core/run-event.ts";
import { statusTitle } from "../core/status.ts";
import { openDebugLog } from "../machine/debug-log.ts";
import { LineLog } from "../machine/line-log.ts";
import { consoleLogName, prepareLogDir } from "../machine/log-dir.ts";
import { debugCommand, debugDecision, debugEnd, debugLine } from "../report/debug-lines.ts";
import { plainLines } from "../report/plain-lines.ts";
import type { Project } from "./project.ts";
import type { RunRequest, RunResult } from "./run-request.ts";

/** The written trace of one run: `console.N.log` for people, `.debug.log` when it is switched on. Never read back. */
export interface RunLog {
  readonly name: string;
  readonly record: (event: RunEvent) => void;
  readonly finish: (result: RunResult) => void;
}

export function startRunLog(project: Project, runNumber: number): RunLog {
  const name = consoleLogName(runNumber);
  const console = new LineLog(`${project.logDir.path}/${name}`);
  const debug = openDebugLog(project.logDir.path, project.settings.debugLog);
  return {
    name,
    record: (event) => {
      console.write(...plainLines(event));
      debug(debugLine(event));
    },
    finish: (result) => {
      if (result.feedback !== undefined) console.write("", result.feedback, "");
      console.write(`Status: ${statusTitle(result.status)}`);
    },
  };
}

/** Notes in the debug log, if there is one, what was asked; what is returned notes what came of it. */
export async function traceRequest(
  { logDir, settings }: Project,
  request: RunRequest,
): Promise<(result: RunResult) => void> {
  if (!settings.debugLog.enabled) return () => {};
  await prepareLogDir(logDir); // if that fails the run itself says so
  const debug = openDebugLog(logDir.path, settings.debugLog);
  debug(debugCommand(request));
  return (result) => {
    debug(debugEnd(result));
    if (request.event !== undefined) debug(debugDecision(result.status));
  };
}
