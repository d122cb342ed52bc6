import type { Environment } from "../process/environment.ts";
import { isAbsolute, join } from "node:path";
import { devNull, homedir, userInfo } from "node:os";

/** Where things are kept that belong to a person and not to a project: `$XDG_STATE_HOME/agent-gauntlet`. */
export function stateHome(env: Environment): string {
  const { XDG_STATE_HOME: given } = env;
  const state =
    given !== undefined && isAbsolute(given) ? given : join(homeDirectory(env), ".local", "state");
  return join(state, "agent-gauntlet");
}

/**
 * The user's home directory, from the environment or the system. Never a relative one: that would be inside the
 * project. Without a home directory, a place where nothing can be stored.
 */
export function homeDirectory(env: Environment): string {
  const { HOME: given } = env;
  if (given !== undefined && isAbsolute(given)) return given;
  try {
    return [homedir(), userInfo().homedir].find(isAbsolute) ?? devNull; // Bun takes both from the environment
  } catch {
    return devNull;
  }
}
