import { accessSync, constants, statSync } from "node:fs";

/** What is at a path, links followed. */
export function kindOf(path: string): "directory" | "file" | "missing" {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return "missing";
  return stat.isDirectory() ? "directory" : "file";
}

/** Why no program can be started in a directory; undefined where one can. */
export function whyNotEnterable(path: string): string | undefined {
  try {
    const kind = kindOf(path);
    if (kind !== "directory") return kind === "missing" ? "does not exist" : "is not a directory";
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return "cannot be entered: permission denied";
  }
}

export function isDirectory(path: string): boolean {
  return kindOf(path) === "directory";
}

/** When a file was last written, in milliseconds since the epoch; absent when there is none. */
export function modifiedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
