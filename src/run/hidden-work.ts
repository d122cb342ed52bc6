import { changesByScope } from "../config/entry-point.ts";
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
import type { Environment } from "../system/process/environment.ts";
import type { Project } from "./open.ts";

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
  const hidden = await hiddenByRules(repository, { files, before });
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
