import type { Environment } from "./environment.ts";
import { resolve, delimiter, join } from "node:path";
import { accessSync, constants, existsSync, statSync } from "node:fs";

export function findExecutable(name: string, env: Environment, cwd: string): string | undefined {
  if (!/[/\\]/.test(name)) return placesOnPath(name, env).find(isExecutableFile);
  const path = resolve(cwd, name);
  return isExecutableFile(path) ? path : undefined;
}

/** On Windows a batch file needs its shell. */
export function startOf(path: string, args: readonly string[]): readonly [string, ...string[]] {
  const isBatch = process.platform === "win32" && /\.(?:cmd|bat)$/i.test(path);
  return isBatch ? shellCommand([`"${path}"`, ...args.map(quoteForBatch)].join(" ")) : [path, ...args];
}

/** Quoted for the program behind the batch file, then kept from `cmd`, which reads the line twice: for us, and where it says `%*`. */
export function quoteForBatch(word: string): string {
  const quoted = word.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, "$1$1");
  return `"${quoted}"`.replaceAll(/[()%!^"<>&|]/g, "^$&").replaceAll(/[()%!^"<>&|]/g, "^$&");
}

/**
 * The arguments are the shell's `$0`, `$1` and so on; `cmd` has none. With `/s` it takes off the outer quotation marks and reads the
 * rest as it is.
 */
export function shellCommand(line: string, ...args: readonly string[]): readonly [string, ...string[]] {
  return process.platform === "win32"
    ? ["cmd", "/d", "/s", "/c", `"${line}"`]
    : [systemShell(), "-c", line, ...args];
}

function systemShell(): string {
  return existsSync("/bin/sh") ? "/bin/sh" : "sh";
}

/** `cmd` does not know the quotation marks that other programs of Windows expect: our line for it goes there as it is. */
export function isOwnCmdLine([file, option]: readonly string[]): boolean {
  return process.platform === "win32" && option === "/d" && /^(?:.*[/\\])?cmd(?:\.exe)?$/i.test(file ?? "");
}

export function findOnPath(name: string, env: Environment): readonly string[] {
  return placesOnPath(name, env).filter(isExecutableFile);
}

function placesOnPath(name: string, env: Environment): readonly string[] {
  const directories = (env["PATH"] ?? "").split(delimiter).filter((directory) => directory !== "");
  const suffixes = process.platform === "win32" ? [".cmd", ".exe", ".bat"] : [""];
  return directories.flatMap((directory) => suffixes.map((suffix) => join(directory, name + suffix)));
}

export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
