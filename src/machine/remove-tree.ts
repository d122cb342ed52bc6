import { readdirSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";

/** Removes a directory of ours with all that is in it. In Node 20 `rmSync` does the same in three times the time, and copes with the rest. */
export function removeTree(path: string): void {
  try {
    removeDirectory(path);
  } catch {
    rmSync(path, { recursive: true, force: true });
  }
}

function removeDirectory(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) removeDirectory(inside);
    else unlinkSync(inside);
  }
  rmdirSync(path);
}
