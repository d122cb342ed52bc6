import { realpathSync } from "node:fs";
import { relative, isAbsolute, sep } from "node:path";

/** Follows links; false for a missing file. */
export function isInside(directory: string, path: string): boolean {
  try {
    return isBelow(realpathSync(directory), realpathSync(path));
  } catch {
    return false; // it is not there, or may not be looked at
  }
}

export function isBelow(directory: string, path: string): boolean {
  return directory !== path && isWithin(directory, path);
}

/** The directory itself, or below it. */
export function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
