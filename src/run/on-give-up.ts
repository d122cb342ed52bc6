import { isBlocking } from "../gates/outcome.ts";
import { withoutOwnCredentials } from "../system/process/environment.ts";
import { shellCommand } from "../system/process/executables.ts";
import { runProcess } from "../system/process/run-process.ts";
import type { Project } from "./open.ts";
import type { RunRequest } from "./request.ts";
import type { RunResult } from "./result.ts";

/** The host waits for our answer meanwhile. */
const ON_GIVE_UP_MS = 10_000;

/** Runs the user's command for a session that we gave up on. What it prints, and whether it works, changes nothing. */
export async function runOnGiveUp(project: Project, request: RunRequest, result: RunResult): Promise<void> {
  const { root, onGiveUp = "" } = project.settings;
  const env = {
    ...withoutOwnCredentials(project.env),
    GAUNTLET_STOP_HOOK_ACTIVE: "1",
    GAUNTLET_PROJECT: root,
    GAUNTLET_SESSION: request.event?.sessionId ?? "",
    GAUNTLET_HOST: request.event?.host ?? "",
    GAUNTLET_FAILED: [...new Set(result.outcomes.filter(isBlocking).map(({ name }) => name))].join(" "),
    GAUNTLET_MESSAGE: (result.kind === "ran" ? result.handoff : undefined) ?? result.message,
  };
  const argv = shellCommand(onGiveUp);
  await runProcess({ argv, cwd: root, env, timeoutMs: ON_GIVE_UP_MS, onOutput: () => {} }, project.signal);
}
