import { statSync } from "node:fs";

/** What is at a path, links followed. */
export function kindOf(path: string): "directory" | "file" | "missing" {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return "missing";
  return stat.isDirectory() ? "directory" : "file";
}

export function isDirectory(path: string): boolean {
  return kindOf(path) === "directory";
}

/** When a file was last written, in milliseconds since the epoch; absent when there is none. */
export function modifiedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Whether a file is at a path that somebody else wrote down: one that cannot be looked up, for whatever reason, is none. */
export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
