import { rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where things are kept that belong to a person and not to a project: `$XDG_STATE_HOME/agent-gauntlet`. */
export function stateHome(env: Readonly<Record<string, string | undefined>>): string {
  const state = env["XDG_STATE_HOME"] || join(env["HOME"] || homedir(), ".local", "state");
  return join(state, "agent-gauntlet");
}

/** Removes a file of ours; where even that is impossible (a part of its path is no directory) it is not there to harm anybody. */
export function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    return;
  }
}
