import { unlinkSync } from "node:fs";

/** Removes a file of ours. One that is not there, or that cannot be removed, is in nobody's way. */
export function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    return;
  }
}
