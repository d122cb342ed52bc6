import { join } from "node:path";
import { absolutePath, type ProjectPath, projectPath } from "../core/path.ts";
import { ok, type Result } from "../core/trouble.ts";
import { pruneSessionLogs, removeSessionLogs } from "../machine/hook-logs.ts";
import { logDirOf, makeRoomForRun, prepareLogDir } from "../machine/log-dir.ts";

const LOGS = ".brepl/logs";

/** Where the hooks of one stop write their logs: a directory of the session's own, which git ignores. */
export interface HookLogs {
  readonly dir: ProjectPath;
  readonly runNumber: number;
}

export function openHookLogs(cwd: string, session: string): Result<HookLogs> {
  const dir = projectPath(`${LOGS}/${session}`);
  const logDir = logDirOf(absolutePath(cwd), dir);
  const prepared = prepareLogDir(logDir);
  if (!prepared.ok) return prepared;
  const runNumber = makeRoomForRun(logDir);
  pruneSessionLogs(join(cwd, LOGS));
  return ok({ dir, runNumber });
}

/** Nothing failed, or the session is over: nobody will read its logs. */
export function dropHookLogs(cwd: string, session: string): void {
  removeSessionLogs(join(cwd, LOGS), session);
}
