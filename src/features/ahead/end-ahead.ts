import type { StopEvent } from "../../hosts/stop-event.ts";
import { currentEnv } from "../../system/process/environment.ts";
import { signalGroup } from "../../system/process/group.ts";
import { lockHolder } from "../../system/state/lock.ts";
import { projectStateDir } from "../../system/state/state-keys.ts";
import { aheadLock, readNote } from "./store.ts";

/**
 * Ends the background process of a work tree, and its run with it. Anybody could write the project's own lock, so it is not asked whose
 * process that is.
 */
export function endAhead(stateDir: string): void {
  const pid = lockHolder(aheadLock(stateDir))?.pid;
  if (pid !== undefined) signalGroup(pid, "SIGTERM");
}

/** The same if it works for this session, which has ended. */
export function endAheadOf({ sessionId }: StopEvent, root: string): void {
  const stateDir = projectStateDir(root, currentEnv());
  if (readNote(stateDir)?.event.sessionId === sessionId) endAhead(stateDir);
}
