import { once } from "../../once.ts";

import { uniqueName, writeAll } from "../files/files.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment this process was started with. */
export function currentEnv(): Environment {
  return process.env;
}

/** Whether this is a build server: `CI` is set to anything that does not mean no. */
export function isCi(env: Environment): boolean {
  const value = env["CI"]?.toLowerCase() ?? "";
  return value !== "" && value !== "0" && value !== "false";
}

/** Where we were started. A directory that was deleted under us still has its name. */
export function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env["PWD"] ?? "/";
  }
}

/** Open what is shared with other machines; not for what the project runs. */
const SECRETS = ["GAUNTLET_SIGNING_KEY", "GAUNTLET_CACHE_AUTH", "GAUNTLET_WORKERS_AUTH"];

/** A copy for gates. */
export function withoutOwnCredentials(env: Environment): Record<string, string | undefined> {
  const copy = { ...env };
  for (const name of SECRETS) delete copy[name];
  return copy;
}

/** The variable that marks every process of a run, so that none is missed when the run is killed before it wrote it down. */
export const RUN_ID_VARIABLE = "GAUNTLET_RUN_ID";

/** What marks the processes that we start for ourselves, such as git, before and beside the gates of a run. */
export const ownMark = once(uniqueName);

/** `AGENT_GAUNTLET_TRACE=1` prints on stderr how many milliseconds after the start of the program each phase was done. */
export function trace(phase: string): void {
  if (process.env["AGENT_GAUNTLET_TRACE"] !== "1") return;
  writeAll(2, `[trace] ${(process.uptime() * 1000).toFixed(1).padStart(7)} ms  ${phase}\n`);
}
