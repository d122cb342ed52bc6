import { realpathSync } from "node:fs";
import packageJson from "../../package.json" with { type: "json" };
import type { Installation } from "../install/hook-command.ts";
import { findOnPath } from "../machine/find-on-path.ts";
import type { Terminal } from "./terminal.ts";

/** How the running program was installed, for the choice of a hook command that will find it again. */
export function currentInstallation({ env }: Terminal): Installation {
  return {
    script: realpathSync(process.argv[1] ?? ""),
    version: packageJson.version,
    onPath: findOnPath("agent-gauntlet", env),
    node: findOnPath("node", env).length > 0 ? "node" : process.execPath,
    isWindows: process.platform === "win32",
  };
}
