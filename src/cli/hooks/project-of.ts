import type { AbsolutePath } from "../../path.ts";
import { findProject } from "../../system/files/find-project.ts";
import type { SessionName } from "../../system/state/state-keys.ts";

/** The agent may have left the directory its host was started in. */
export function projectOf({ cwd }: SessionName): AbsolutePath | undefined {
  return findProject(process.env["CLAUDE_PROJECT_DIR"] ?? cwd) ?? findProject(cwd);
}
