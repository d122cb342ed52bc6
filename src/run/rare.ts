/** What few runs need, in one module: each of these alone would be a file to read, and together they are small. */
import { changesByScope } from "../config/entry-point.ts";
import { isBlocking } from "../gates/outcome.ts";
import { projectPath } from "../path.ts";
import {
  gitVariablesNotice,
  hidingNotice,
  ignoreNotices,
  type Notice,
  stashNotice,
} from "../stop/notices.ts";
import type { IgnoreSettingsFile } from "../stop/session.ts";
import { changedIgnoreSettings, gitVariables, gitVariablesHash } from "../system/git/ignore-settings.ts";
import { Git, splitNul } from "../system/git/git.ts";
import { type HiddenPath, hiddenByRules } from "../system/git/own-ignores.ts";
import { Repository } from "../system/git/repository.ts";
import { type Environment, withoutOwnCredentials } from "../system/process/environment.ts";
import { shellCommand } from "../system/process/executables.ts";
import { runProcess } from "../system/process/run-process.ts";
import type { Project } from "./open.ts";
import type { RunRequest } from "./request.ts";
import type { RunResult } from "./result.ts";

export { loadSettingsQuickly } from "../config/gauntlet/settings-cache.ts";
export { diagnoseBase } from "../config/diagnose-base.ts";
export { sessionTree } from "../system/git/kept-trees.ts";
export { endOrphans } from "../system/process/leftovers.ts";
export { lockReleased } from "../system/state/lock.ts";
export { checkLogDir } from "./check-log-dir.ts";
export { logRequest } from "./run-log.ts";
export { tidyUpIfDead } from "./tidy-up.ts";

/** What git was told to ignore since the session began. */
export function ignoreSettingsNotices(
  files: readonly IgnoreSettingsFile[],
  otherVariables: Environment | undefined,
): readonly Notice[] {
  const changed = ignoreNotices(changedIgnoreSettings(files));
  return otherVariables === undefined
    ? changed
    : [...changed, gitVariablesNotice(gitVariables(otherVariables), gitVariablesHash(otherVariables))];
}

interface IgnoreRules {
  /** `.gitignore` files in the change, from the project. */
  readonly changed: readonly string[];
  /** Those that git does not list, from the top. */
  readonly added: readonly string[];
  readonly before: string | undefined;
}

/** What git ignores by these rules and some gate would look at. */
export async function hidingNotices(
  { settings, signal }: Project,
  { changed, added, before }: IgnoreRules,
): Promise<readonly Notice[]> {
  const repository = await Repository.around(new Git(settings.root, signal));
  if (repository === undefined) return [];
  const { prefix } = repository.places;
  const files = [...new Set([...changed.map((name) => `${prefix}${name}`), ...added])];
  const hidden = await hiddenByRules(repository.top, { files, before });
  const isLookedAt = ({ path }: HiddenPath): boolean => {
    if (!path.startsWith(prefix)) return false;
    const name = projectPath(path.slice(prefix.length).replace(/\/$/, ""));
    const file = { path: name, change: "untracked" as const, isRepository: path.endsWith("/") };
    const isLog = name === settings.logDir || name.startsWith(`${settings.logDir}/`);
    return !isLog && settings.entryPoints.some((one) => changesByScope(one, [file]).size > 0);
  };
  return hidingNotice(hidden.filter(isLookedAt));
}

/** Work that was stashed since a time: the gates pass without it. */
export async function stashNotices(git: Git, since: number): Promise<readonly Notice[]> {
  const listed = await git.output(["stash", "list", "-z", "--max-count=20", "--format=%ct %H %gs"]);
  const entries = listed.ok ? splitNul(listed.value) : [];
  return entries.flatMap((entry) => {
    const [, seconds = "", id = "", what = ""] = /^(\d+) (\S+) (.*)$/s.exec(entry) ?? [];
    const isOlder = Number(seconds) < Math.floor(since / 1000);
    return isOlder ? [] : [stashNotice(id, what)];
  });
}

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
