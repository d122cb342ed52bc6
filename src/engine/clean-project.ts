import type { Settings } from "../core/settings.ts";
import type { Result } from "../core/trouble.ts";
import { endLeftovers } from "../machine/gate-groups.ts";
import { acquireLock } from "../machine/lock.ts";
import { archiveLogs, forgetState, logDirOf, prepareLogDir } from "../machine/log-dir.ts";

/** Archives the logs and forgets all state; not while a run is in progress. */
export async function cleanProject(settings: Settings): Promise<Result<number>> {
  const dir = logDirOf(settings.root, settings.logDir);
  const prepared = await prepareLogDir(dir);
  if (!prepared.ok) return prepared;
  const locked = acquireLock(dir.lockFile);
  if (!locked.ok) return locked;
  using lock = locked.value;
  if (lock.replaced !== undefined) await endLeftovers(dir, lock.replaced);
  const archived = await archiveLogs(dir);
  if (archived.ok) await forgetState(dir);
  return archived;
}
