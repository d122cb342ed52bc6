import { copyFileSync, statSync, utimesSync } from "node:fs";

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
