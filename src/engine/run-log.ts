import type { RunEvent } from "../core/run-event.ts";
import { statusTitle } from "../core/status.ts";
import { openDebugLog } from "../machine/debug-log.ts";
import { LineLog } from "../machine/line-log.ts";
import { consoleLogName } from "../machine/log-dir.ts";
import { debugLine } from "../report/debug-lines.ts";
import { plainLines } from "../report/plain-lines.ts";
import type { Project } from "./project.ts";
import type { RunResult } from "./run-request.ts";

/** The written trace of one run: `console.N.log` for people, `.debug.log` when it is switched on. Never read back. */
export interface RunLog extends Disposable {
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
    [Symbol.dispose]: () => console[Symbol.dispose](),
  };
}
