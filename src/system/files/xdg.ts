import type { Environment } from "../process/environment.ts";
import { isAbsolute, join } from "node:path";

/** Where state is kept that belongs to a user and not to a project: `$XDG_STATE_HOME/agent-gauntlet`. */
export function stateHome(env: Environment): string {
  return userDirectory(env, "XDG_STATE_HOME", ".local/state");
}

/** Our directory in one of the XDG base directories, or in its usual place in the home directory; a relative path does not count. */
export function userDirectory(
  env: Environment,
  variable: "XDG_STATE_HOME" | "XDG_CACHE_HOME" | "XDG_CONFIG_HOME",
  inHome: string,
): string {
  const given = env[variable];
  const base = given !== undefined && isAbsolute(given) ? given : join(homeDirectory(env), inHome);
  return join(base, "agent-gauntlet");
}

/**
 * The user's home directory, from the environment or the system. Never a relative one: that would be inside the
 * project. Without a home directory, a place where nothing can be stored.
 */
export function homeDirectory(env: Environment): string {
  const { HOME: given } = env;
  if (given !== undefined && isAbsolute(given)) return given;
  const { devNull, homedir, userInfo } = process.getBuiltinModule("node:os"); // nearly every environment has a home
  try {
    return [homedir(), userInfo().homedir].find(isAbsolute) ?? devNull; // Bun takes both from the environment
  } catch {
    return devNull;
  }
}
