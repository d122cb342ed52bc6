import type { Environment } from "./environment.ts";
import { resolve, delimiter, join } from "node:path";
import { accessSync, constants, existsSync, statSync } from "node:fs";

/** Where a command would be started from: on PATH, or at its own path relative to `cwd`. */
export function findExecutable(name: string, env: Environment, cwd: string): string | undefined {
  if (!/[/\\]/.test(name)) return placesOnPath(name, env).find(isExecutableFile);
  const path = resolve(cwd, name);
  return isExecutableFile(path) ? path : undefined;
}

/** How to start an executable: on Windows a batch file needs its shell. */
export function startOf(path: string): readonly [string, ...string[]] {
  const isBatch = process.platform === "win32" && /\.(?:cmd|bat)$/i.test(path);
  return isBatch ? ["cmd", "/d", "/s", "/c", path] : [path];
}

/** A line for the system's shell. What follows it is the shell's `$0`, `$1` and so on; `cmd` has none. */
export function shellCommand(line: string, ...args: readonly string[]): readonly [string, ...string[]] {
  return process.platform === "win32"
    ? ["cmd", "/d", "/s", "/c", line]
    : [systemShell(), "-c", line, ...args];
}

/** By its path, which saves looking for it along the PATH. */
function systemShell(): string {
  return existsSync("/bin/sh") ? "/bin/sh" : "sh";
}

/** Every executable of that name on the PATH, in its order. */
export function findOnPath(name: string, env: Environment): readonly string[] {
  return placesOnPath(name, env).filter(isExecutableFile);
}

function placesOnPath(name: string, env: Environment): readonly string[] {
  const directories = (env["PATH"] ?? "").split(delimiter).filter((directory) => directory !== "");
  const suffixes = process.platform === "win32" ? [".cmd", ".exe", ".bat"] : [""];
  return directories.flatMap((directory) => suffixes.map((suffix) => join(directory, name + suffix)));
}

/** Whether a file is there and may be started. */
export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
