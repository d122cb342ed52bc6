import type { Settings } from "../core/settings.ts";
import type { Result } from "../core/trouble.ts";
import { forgetBlocksIn } from "../machine/blocked-session.ts";
import { openDebugLog } from "../machine/debug-log.ts";
import { acquireLock } from "../machine/lock.ts";
import { archiveLogs, forgetState, logDirOf, prepareLogDir } from "../machine/log-dir.ts";
import { debugClean } from "../report/debug-lines.ts";
import { tidyUpAfter } from "./tidy-up-after.ts";

/** Archives the logs and forgets all state; not while a run is in progress. */
export async function cleanProject(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Result<number>> {
  const dir = logDirOf(settings.root, settings.logDir);
  const prepared = prepareLogDir(dir);
  if (!prepared.ok) return prepared;
  const locked = acquireLock(dir.lockFile);
  if (!locked.ok) return locked;
  using lock = locked.value;
  if (lock.replaced !== undefined) await tidyUpAfter(lock.replaced, dir);
  const archived = archiveLogs(dir);
  if (!archived.ok) return archived;
  const forgotten = forgetState(dir);
  forgetBlocksIn(settings.root, env);
  openDebugLog(dir.path, settings.debugLog)(debugClean("asked", archived.value));
  return forgotten.ok ? archived : forgotten;
}
