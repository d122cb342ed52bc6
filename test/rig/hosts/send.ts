import { GauntletProject } from "../gauntlet-project.ts";
import { recording } from "./recorded.ts";

/** A check that is green once `state.txt` says `fixed`. */
export const RED = 'test "$(cat state.txt)" = fixed';

interface Answered {
  readonly decision?: string;
  readonly reason?: string;
  readonly systemMessage?: string;
}

/** A project whose only change is a red one. */
export async function projectWith(config: string): Promise<GauntletProject> {
  const project = await GauntletProject.create({ ".gauntlet/config.yml": config, "state.txt": "new\n" });
  await project.commit("start");
  await project.write({ "state.txt": "broken\n" });
  return project;
}

/** Sends a recorded event of a host, moved to this project. */
export async function send(
  project: GauntletProject,
  [host, file]: readonly [string, string],
  more: object = {},
): Promise<Answered & { readonly stderr: string; readonly exitCode: number | null }> {
  const { payload } = recording(host, file);
  const stdin = `${JSON.stringify({ ...payload, cwd: project.root, ...more })}\n`;
  const { stdout, stderr, exitCode } = await project.gauntlet(["stop-hook"], { stdin });
  return { ...(JSON.parse(stdout) as Answered), stderr, exitCode };
}

export const SUBAGENT = ["claude-code", "subagent-stop"] as const;
export const TASK = ["claude-code", "task-completed"] as const;
export const TEAMMATE = ["claude-code", "teammate-idle"] as const;
