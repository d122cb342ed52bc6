import packageJson from "../../package.json" with { type: "json" };
import type { Installation } from "../install/hook-command.ts";
import { findOnPath } from "../machine/find-on-path.ts";
import { programFile } from "../machine/this-program.ts";
import type { Terminal } from "./terminal.ts";

/** The program a hook must find again. */
export interface Program {
  /** The file that runs now. */
  readonly script: string;
  readonly version: string;
}

export function runningProgram(): Program {
  return { script: programFile(), version: packageJson.version };
}

/** How the program was installed, for the choice of a hook command. */
export function installationOf(program: Program, env: Terminal["env"]): Installation {
  return {
    ...program,
    onPath: findOnPath("agent-gauntlet", env),
    node: findOnPath("node", env).length > 0 ? "node" : process.execPath,
    isWindows: process.platform === "win32",
  };
}
