import type { RunEvent, RunRequest } from "./request.ts";
import type { RunResult } from "./result.ts";
import { statusTitle } from "../stop/status.ts";
import { LineLog, openDebugLog } from "../system/logs/line-log.ts";
import { consoleLogName, prepareLogDir } from "../system/logs/log-dir.ts";
import { debugCommand, debugDecision, debugEnd, debugLine, plainLines } from "../report/plain-lines.ts";
import type { Project } from "./open.ts";

/** The written trace of one run: `console.N.log` for people, `.debug.log` when it is switched on. Never read back. */
export interface RunLog extends Disposable {
  readonly name: string;
  readonly record: (event: RunEvent) => void;
  readonly finish: (result: RunResult) => void;
}

export function startRunLog({ logDir, settings }: Project, runNumber: number): RunLog {
  const name = consoleLogName(runNumber);
  const console = new LineLog(`${logDir.path}/${name}`);
  const debug = openDebugLog(logDir.path, settings.debugLog);
  return {
    name,
    record: (event) => {
      console.writeSoon(...plainLines(event));
      debug(debugLine(event));
    },
    finish: (result) => {
      if (result.kind === "ran" && result.feedback !== undefined) console.write("", result.feedback, "");
      console.write(`Status: ${statusTitle(result.status)}`);
    },
    [Symbol.dispose]: () => console[Symbol.dispose](),
  };
}

/** Notes in the debug log what was asked; what is returned notes the answer. */
export function logRequest({ logDir, settings }: Project, request: RunRequest): (result: RunResult) => void {
  if (!settings.debugLog.enabled) return () => {};
  prepareLogDir(logDir); // if that fails the run itself says so
  const debug = openDebugLog(logDir.path, settings.debugLog);
  debug(debugCommand(request));
  return (result) => {
    debug(debugEnd(result));
    if (request.event !== undefined) debug(debugDecision(result.status));
  };
}
