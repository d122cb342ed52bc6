import { type LockHolder, acquireLock } from "../system/state/lock.ts";
import { type LogDir, sweepDrafts } from "../system/logs/log-dir.ts";
import { endLeftovers, endOrphans } from "../system/process/leftovers.ts";
import { sweepScratch } from "../system/files/owned-scratch.ts";
import type { Project } from "./open.ts";
import { kindOf } from "../system/files/files.ts";

/** Ends and removes what a killed run left behind. Only the holder of the lock may. */
export async function tidyUpAfter(dead: LockHolder, dir: LogDir): Promise<void> {
  await endLeftovers(dir, dead);
  await endOrphans();
  sweepDrafts(dir);
  sweepScratch();
}

/** The same for a stop that needs no run. One that was killed without the lock leaves scratch files at most. */
export async function tidyUpIfDead({ logDir, sessionKey }: Project): Promise<void> {
  if (kindOf(logDir.lockFile) === "missing") return sweepScratch();
  const locked = acquireLock(logDir.lockFile, { session: sessionKey });
  if (!locked.ok) return;
  using lock = locked.value;
  if (lock.replaced !== undefined) await tidyUpAfter(lock.replaced, logDir);
}
