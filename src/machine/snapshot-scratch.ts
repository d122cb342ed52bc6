import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { nodeOs } from "./builtin.ts";
import { namesIn } from "./names-in.ts";
import { removeTree } from "./remove-tree.ts";
import { isAlive } from "./process-tree.ts";

const SCRATCH_PREFIX = "gauntlet-fingerprint-";

/** A directory for one snapshot's index and objects; it carries our pid, so that it can be removed after us. */
export function makeScratch(parent: string): string {
  return mkdtempSync(join(parent, `${SCRATCH_PREFIX}${process.pid}-`));
}

export function removeScratch(path: string): void {
  try {
    removeTree(path);
  } catch {
    // somebody else's, or gone already: it is only in the way
  }
}

/** Removes the scratch directories that killed processes left in the temporary directory. */
export function sweepScratch(): void {
  for (const name of namesIn(nodeOs().tmpdir()).filter((one) => one.startsWith(SCRATCH_PREFIX))) {
    const pid = Number(name.slice(SCRATCH_PREFIX.length).split("-")[0]);
    if (!isAlive(pid)) removeScratch(join(nodeOs().tmpdir(), name));
  }
}
