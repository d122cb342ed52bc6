import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Every executable of that name on the PATH, in its order. */
export function findOnPath(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const directories = (env["PATH"] ?? "").split(delimiter).filter((directory) => directory !== "");
  const suffixes = process.platform === "win32" ? [".cmd", ".exe", ".bat"] : [""];
  return directories
    .flatMap((directory) => suffixes.map((suffix) => join(directory, name + suffix)))
    .filter(isExecutableFile);
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
