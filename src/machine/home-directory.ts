import { isAbsolute } from "node:path";
import { nodeOs } from "./builtin.ts";

/**
 * The person's home directory, by the environment or by the system. Never a relative one: that would be inside the
 * project. Where there is none, a place where nothing can be kept.
 */
export function homeDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const { HOME: given } = env;
  if (given !== undefined && isAbsolute(given)) return given;
  try {
    const { homedir, userInfo } = nodeOs();
    const found = homedir();
    return isAbsolute(found) ? found : userInfo().homedir;
  } catch {
    return nodeOs().devNull;
  }
}
