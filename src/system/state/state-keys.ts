import { realPath } from "../files/files.ts";
import { join } from "node:path";
import { sha256 } from "#runtime";
import { stateHome } from "../files/xdg.ts";
import type { Environment } from "../process/environment.ts";

/**
 * Outside of the project, by its real path: inside, an agent could forge a pass with a line of git, or remove it while tidying
 * up.
 */
export function projectStateDir(root: string, env: Environment): string {
  const key = sha256(realPath(root) ?? root).slice(0, 32);
  return join(stateHome(env), "projects", key);
}

export function sessionKey(
  { sessionId, transcriptPath }: Omit<SessionName, "cwd">,
  fallback: string,
): string {
  if (sessionId && isHarmless(sessionId)) return sessionId;
  return sha256(sessionId || transcriptPath || fallback);
}

export interface SessionName {
  readonly sessionId?: string | undefined;
  readonly transcriptPath?: string | undefined;
  readonly cwd: string;
}

function isHarmless(id: string): boolean {
  return /^[A-Za-z0-9._-]{1,128}$/.test(id) && id !== "." && id !== "..";
}
