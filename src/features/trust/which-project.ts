import type { Notice } from "../../stop/notices.ts";
import { absolutePath, type AbsolutePath } from "../../path.ts";
import type { SessionStart } from "../../stop/session.ts";
import type { StopEvent } from "../../hosts/stop-event.ts";
import { isBelow } from "../../system/files/find-project.ts";
import { mainProject } from "../../system/git/places.ts";

interface Candidates {
  readonly here: AbsolutePath | undefined;
  readonly home: AbsolutePath | undefined;
  readonly starts: readonly SessionStart[];
}

/**
 * If the agent left the directory where its host started, that directory counts, unless the agent is in another work tree of
 * the same repository. A project whose configuration was removed during the session still counts.
 */
export function whichProject(
  { cwd, projectDir = cwd }: StopEvent,
  { here, home, starts }: Candidates,
): AbsolutePath | undefined {
  if (home !== undefined) return here !== undefined && isSameProject(here, home) ? here : home;
  if (here !== undefined) return here;
  const began = starts.find(({ root }) => isBelow(projectDir, root) || isBelow(cwd, root));
  return began && absolutePath(began.root);
}

/** All work trees of a repository are one project. */
export function isSameProject(one: string, other: string): boolean {
  return one === other || mainProject(one).root === mainProject(other).root;
}

export function otherProjectNotices(root: string, began: string): readonly Notice[] {
  if (root === began) return [];
  const text = `Gauntlet: this session began in ${began}, and this stop was judged in ${root}: changes in the first were not looked at.`;
  return [{ rank: "not checked", key: `strayed ${root}`, text }];
}

export function leftProjectNotice({ cwd }: StopEvent, began: string): Notice {
  const text = `Gauntlet: this session began in ${began}, and the agent stopped in ${cwd}, where there are no gates. Nothing was checked.`;
  return { rank: "not checked", key: `left ${began}`, text };
}
