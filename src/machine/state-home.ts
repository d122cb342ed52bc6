import { isAbsolute, join } from "node:path";
import { homeDirectory } from "./home-directory.ts";

/** Where things are kept that belong to a person and not to a project: `$XDG_STATE_HOME/agent-gauntlet`. */
export function stateHome(env: Readonly<Record<string, string | undefined>>): string {
  const { XDG_STATE_HOME: given } = env;
  const state =
    given !== undefined && isAbsolute(given) ? given : join(homeDirectory(env), ".local", "state");
  return join(state, "agent-gauntlet");
}
