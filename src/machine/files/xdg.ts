import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { devNull, homedir, userInfo } from "node:os";

/** Where things are kept that belong to a person and not to a project: `$XDG_STATE_HOME/agent-gauntlet`. */
export function stateHome(env: Readonly<Record<string, string | undefined>>): string {
  const { XDG_STATE_HOME: given } = env;
  const state =
    given !== undefined && isAbsolute(given) ? given : join(homeDirectory(env), ".local", "state");
  return join(state, "agent-gauntlet");
}

/** What is kept about one project outside of it, where no agent that tidies up the project meets it: by its real path. */
export function projectStateDir(root: string, env: Readonly<Record<string, string | undefined>>): string {
  return join(
    stateHome(env),
    "projects",
    createHash("sha256").update(realPath(root)).digest("hex").slice(0, 32),
  );
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // it is gone; its name is what is left
  }
}

/**
 * The person's home directory, by the environment or by the system. Never a relative one: that would be inside the
 * project. Where there is none, a place where nothing can be kept.
 */
export function homeDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const { HOME: given } = env;
  if (given !== undefined && isAbsolute(given)) return given;
  try {
    const found = homedir();
    return isAbsolute(found) ? found : userInfo().homedir;
  } catch {
    return devNull;
  }
}
