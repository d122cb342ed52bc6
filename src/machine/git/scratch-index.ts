import { copyFileSync, mkdtempSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namesIn, removeTree } from "../files/files.ts";
import { isAlive } from "../process/group.ts";

const PREFIX = "gauntlet-fingerprint-";

/** A directory for an index and objects of our own; it carries our pid, so that it can be removed after us. */
export function makeScratch(parent = tmpdir()): string {
  return mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
}

export function removeScratch(path: string): void {
  try {
    removeTree(path);
  } catch {
    // not ours, or already gone
  }
}

/** Removes the scratch directories that killed processes left. */
export function sweepScratch(parent = tmpdir()): void {
  for (const name of namesIn(parent).filter((one) => one.startsWith(PREFIX))) {
    const pid = Number(name.slice(PREFIX.length).split("-")[0]);
    if (!isAlive(pid)) removeScratch(join(parent, name));
  }
}

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
