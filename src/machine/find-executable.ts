import { resolve } from "node:path";
import { findOnPath, isExecutableFile } from "./find-on-path.ts";

/** Where a command would be started from: on PATH, or at its own path relative to `cwd`. */
export function findExecutable(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): string | undefined {
  if (!/[/\\]/.test(name)) return findOnPath(name, env)[0];
  const path = resolve(cwd, name);
  return isExecutableFile(path) ? path : undefined;
}

/** How to start an executable: on Windows a batch file needs its shell. */
export function startOf(path: string): readonly [string, ...string[]] {
  const isBatch = process.platform === "win32" && /\.(?:cmd|bat)$/i.test(path);
  return isBatch ? ["cmd", "/d", "/s", "/c", path] : [path];
}
