import { once } from "../../once.ts";

import { uniqueName, writeAll } from "../files/files.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export function currentEnv(): Environment {
  return process.env;
}

export function isCi(env: Environment): boolean {
  const value = env["CI"]?.toLowerCase() ?? "";
  return value !== "" && value !== "0" && value !== "false";
}

export function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env["PWD"] ?? "/";
  }
}

/** Keys to what machines share; not for what the project runs. */
const SECRETS = ["GAUNTLET_SIGNING_KEY", "GAUNTLET_CACHE_AUTH", "GAUNTLET_WORKERS_AUTH"];

export function withoutOwnCredentials(env: Environment): Record<string, string | undefined> {
  const copy = { ...env };
  for (const name of SECRETS) delete copy[name];
  return copy;
}

/** Marks every process of a run: found even if the run was killed before it recorded them. */
export const RUN_ID_VARIABLE = "GAUNTLET_RUN_ID";

/** Set by `doctor --live`: our stop hook blocks with this word, and our other hooks record nothing. It never allows anything. */
export const DOCTOR_VARIABLE = "AGENT_GAUNTLET_DOCTOR";

export const ownMark = once(uniqueName);

/** `AGENT_GAUNTLET_TRACE=1` prints on stderr when each phase was done. */
export function trace(phase: string): void {
  if (process.env["AGENT_GAUNTLET_TRACE"] !== "1") return;
  writeAll(2, `[trace] ${(process.uptime() * 1000).toFixed(1).padStart(7)} ms  ${phase}\n`);
}
