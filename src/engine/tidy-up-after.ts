import { endLeftovers } from "../machine/gate-groups.ts";
import type { LockHolder } from "../machine/lock.ts";
import { type LogDir, sweepDrafts } from "../machine/log-dir.ts";
import { sweepScratch } from "../machine/snapshot-scratch.ts";

/** Ends and removes what a killed run left behind. Only the holder of the lock may. */
export async function tidyUpAfter(dead: LockHolder, dir: LogDir): Promise<void> {
  await endLeftovers(dir, dead);
  sweepDrafts(dir);
  sweepScratch();
}
