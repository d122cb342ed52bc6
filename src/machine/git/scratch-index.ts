import { chmodSync, copyFileSync, mkdtempSync, readdirSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namesIn, removeTree } from "../files/files.ts";
import { isAlive } from "../process/group.ts";

const PREFIX = "gauntlet-fingerprint-";
/** A past tree that a check is run on for comparison. */
export const BASELINE_PREFIX = "gauntlet-baseline-";

/** A directory for an index and objects of our own; it carries our pid, so that it can be removed after us. */
export function makeScratch(parent = tmpdir()): string {
  return mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
}

export function removeScratch(path: string): void {
  try {
    removeTree(path);
  } catch {
    removeReadOnly(path);
  }
}

/** Tools of a past tree leave directories that may not be written to; otherwise it is not ours, or already gone. */
function removeReadOnly(path: string): void {
  try {
    makeWritable(path);
    removeTree(path);
  } catch {
    return;
  }
}

function makeWritable(directory: string): void {
  chmodSync(directory, 0o700);
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(directory, entry.name));
}

/** Where a past tree may be checked out: in memory on many systems, or else on a disk. */
export function scratchParents(): readonly string[] {
  return [tmpdir(), ...(process.platform === "win32" ? [] : ["/var/tmp"])];
}

/** Removes the scratch directories that killed processes left. */
export function sweepScratch(...parents: readonly string[]): void {
  for (const parent of parents.length === 0 ? scratchParents() : parents)
    for (const name of namesIn(parent)) {
      const pid = OURS.exec(name)?.[1];
      if (pid !== undefined && !isAlive(Number(pid))) removeScratch(join(parent, name));
    }
}

const OURS = new RegExp(`^(?:${PREFIX}|${BASELINE_PREFIX})(\\d+)-`);

/**
 * Copies a git index, if there is one, with a time just before its own. git compares that time with those of
 * the files to tell which need a second look; a newer one would hide an edit made in the same instant as the last `git add`.
 */
export function copyIndex(from: string, to: string): void {
  const stat = statSync(from, { bigint: true, throwIfNoEntry: false });
  if (stat?.isFile() !== true) return; // a pipe would be waited for
  copyFileSync(from, to);
  const justBefore = Number(stat.mtimeNs - 1000n) / 1e9;
  utimesSync(to, justBefore, justBefore);
}
