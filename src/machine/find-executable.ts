import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a command would be started from: on PATH, or at its own path relative to `cwd`. */
export function findExecutable(name: string, env: Environment, cwd: string): string | undefined {
  if (isAbsolute(name)) return firstRunnable([name], env);
  if (name.includes("/") || name.includes("\\")) return firstRunnable([join(cwd, name)], env);
  const directories = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((part) => part !== "");
  return firstRunnable(
    directories.map((directory) => join(directory, name)),
    env,
  );
}

/** How to start an executable: on Windows a batch file needs its shell. */
export function startOf(path: string): readonly [string, ...string[]] {
  const isBatch = process.platform === "win32" && /\.(?:cmd|bat)$/i.test(path);
  return isBatch ? ["cmd", "/d", "/s", "/c", path] : [path];
}

function firstRunnable(paths: readonly string[], env: Environment): string | undefined {
  const endings = process.platform === "win32" ? (env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";") : [""];
  return paths.flatMap((path) => endings.map((ending) => `${path}${ending}`)).find(isRunnable);
}

function isRunnable(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
