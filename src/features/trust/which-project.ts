import type { Notice } from "../../stop/notices.ts";
import { absolutePath, type AbsolutePath } from "../../path.ts";
import type { SessionStart } from "../../stop/session.ts";
import type { StopEvent } from "../../hosts/stop-event.ts";
import { isBelow } from "../../system/files/find-project.ts";
import { mainProject } from "../../system/git/places.ts";

/** The projects a stop may belong to: where the agent is, where its host was started, and where its session was first seen. */
interface Candidates {
  readonly here: AbsolutePath | undefined;
  readonly home: AbsolutePath | undefined;
  readonly starts: readonly SessionStart[];
}

/**
 * Where the agent has left the directory its host was started in, that one counts; but another work tree of the same repository is
 * where the agent works. A project whose configuration is gone is still the one its session began in.
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

/** What was changed where the session began was not examined. */
export function otherProjectNotices(root: string, began: string): readonly Notice[] {
  if (root === began) return [];
  const text = `Gauntlet: this session began in ${began}, and this stop was judged in ${root}: changes in the first were not looked at.`;
  return [{ rank: "not checked", key: `strayed ${root}`, text }];
}

export function leftProjectNotice({ cwd }: StopEvent, began: string): Notice {
  const text = `Gauntlet: this session began in ${began}, and the agent stopped in ${cwd}, where there are no gates. Nothing was checked.`;
  return { rank: "not checked", key: `left ${began}`, text };
}
