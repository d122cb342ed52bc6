import type { Environment } from "../process/environment.ts";
import { isAbsolute, join } from "node:path";

export function stateHome(env: Environment): string {
  return userDirectory(env, "XDG_STATE_HOME", ".local/state");
}

export function userDirectory(
  env: Environment,
  variable: "XDG_STATE_HOME" | "XDG_CACHE_HOME" | "XDG_CONFIG_HOME",
  inHome: string,
): string {
  const given = env[variable];
  const base = given !== undefined && isAbsolute(given) ? given : join(homeDirectory(env), inHome);
  return join(base, "agent-gauntlet");
}

/** Never a relative directory: that would be inside the project. Without a home, a place where nothing can be stored. */
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

export function gitUserPlaces(env: Environment): { readonly home: string; readonly user: string } {
  const home = homeDirectory(env);
  return { home, user: join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "git") };
}
