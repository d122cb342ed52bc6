import { join } from "node:path";
import { nodeOs } from "./builtin.ts";

/** Where things are kept that belong to a person and not to a project: `$XDG_STATE_HOME/agent-gauntlet`. */
export function stateHome(env: Readonly<Record<string, string | undefined>>): string {
  const state = env["XDG_STATE_HOME"] || join(env["HOME"] || nodeOs().homedir(), ".local", "state");
  return join(state, "agent-gauntlet");
}
