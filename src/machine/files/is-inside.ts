import { realpathSync } from "node:fs";
import { relative, isAbsolute, sep } from "node:path";

/** Whether an existing file is below a directory, links followed. */
export function isInside(directory: string, path: string): boolean {
  try {
    const way = relative(realpathSync(directory), realpathSync(path));
    return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  } catch {
    return false; // it is not there, or may not be looked at
  }
}
