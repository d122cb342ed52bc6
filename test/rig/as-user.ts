import { join } from "node:path";
import { cleanEnv, type Finished, type GauntletProject, run } from "./gauntlet-project.ts";
import { GAUNTLET } from "./program.ts";

export const USER = join(import.meta.dirname, "user-at-terminal.py");

/** Types an answer at a terminal that no agent is above. */
export function asUser(
  project: GauntletProject,
  typed: string,
  ...args: readonly string[]
): Promise<Finished> {
  return run(["python3", USER, typed, ...GAUNTLET, ...args], {
    cwd: project.root,
    env: cleanEnv(project.home),
  });
}
