import { realPath } from "../system/files/files.ts";
import packageJson from "../../package.json" with { type: "json" };
import { type Installation, isOneOff, isThereForHooks } from "./hook-command.ts";
import { findOnPath, isExecutableFile } from "../system/process/executables.ts";
import { dirname, join } from "node:path";
import { currentDirectory } from "../system/process/environment.ts";
import { isNative, programFile, startOfProjectCopy } from "../system/process/runtime.ts";
import type { Terminal } from "../report/terminal.ts";
import { PACKAGE } from "../package-name.ts";

export interface Program {
  readonly script: string;
  readonly version: string;
}

export function runningProgram(): Program {
  return { script: programFile(), version: packageJson.version };
}

export function installationOf(program: Program, { cwd, env }: Pick<Terminal, "cwd" | "env">): Installation {
  const script = lastingName(program.script, cwd);
  return {
    ...program,
    script,
    onPath: findOnPath("agent-gauntlet", env),
    node: findOnPath("node", env).some(isThereForHooks) ? "node" : process.execPath,
    native: findNative({ ...program, script }, { cwd, env }),
    isWindows: process.platform === "win32",
  };
}

/**
 * The same file under a name that an update leaves in place: pnpm starts it in a directory named after its version, and has a link
 * to it in the project's `node_modules`.
 */
function lastingName(script: string, cwd: string): string {
  const inPackage = /[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?agent-gauntlet[/\\][^]+)$/.exec(script)?.[1];
  if (inPackage === undefined) return script;
  const places = new Set([cwd, currentDirectory()]); // `init` in a package of a workspace sets up the whole repository
  const names = [...places].flatMap((place) => inNodeModules(place, inPackage));
  return names.find((file) => isSameFile(file, script)) ?? script;
}

function isSameFile(one: string, other: string): boolean {
  const real = realPath(one);
  return real !== undefined && real === realPath(other);
}

/** What to type to start this program again: by its name where a shell finds it, otherwise through npx or yarn. */
export function nameToType({ env }: Pick<Terminal, "env">): string {
  const isFound = isNative() || findOnPath("agent-gauntlet", env).some(isThereForHooks);
  return isFound ? "agent-gauntlet" : (startOfProjectCopy(programFile()) ?? `npx ${PACKAGE}`);
}

/** The native executable: the one npm installed beside this program, this program itself, one of this project, one on the PATH. */
function findNative({ script }: Program, { cwd, env }: Pick<Terminal, "cwd" | "env">): string | undefined {
  const candidates = [
    ...nativeAround(dirname(script)),
    ...(isNative() ? [script] : []),
    ...nativeAround(cwd),
    ...findOnPath("agent-gauntlet-native", env).filter(isThereForHooks),
  ];
  return candidates.find((file) => !isOneOff(file) && isExecutableFile(file));
}

/** Where npm puts it. On Windows what is in `.bin` starts a shell first. */
function nativeAround(directory: string): readonly string[] {
  return inNodeModules(
    directory,
    process.platform === "win32" ? `${PACKAGE}-windows-x64/agent-gauntlet.exe` : ".bin/agent-gauntlet-native",
  );
}

function inNodeModules(directory: string, file: string): readonly string[] {
  const here = join(directory, "node_modules", file);
  const above = dirname(directory);
  return above === directory ? [here] : [here, ...inNodeModules(above, file)];
}
