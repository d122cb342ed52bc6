import { openDebugLog } from "../machine/debug-log.ts";
import { prepareLogDir } from "../machine/log-dir.ts";
import { debugCommand, debugDecision, debugEnd } from "../report/debug-lines.ts";
import type { Project } from "./project.ts";
import type { RunRequest, RunResult } from "./run-request.ts";

/** Notes in the debug log what was asked; what is returned notes what came of it. */
export function traceRequest(
  { logDir, settings }: Project,
  request: RunRequest,
): (result: RunResult) => void {
  prepareLogDir(logDir); // if that fails the run itself says so
  const debug = openDebugLog(logDir.path, settings.debugLog);
  debug(debugCommand(request));
  return (result) => {
    debug(debugEnd(result));
    if (request.event !== undefined) debug(debugDecision(result.status));
  };
}
