import type { Notice } from "../../core/stop/verdict.ts";
import { absolutePath, type AbsolutePath } from "../../core/path.ts";
import type { SessionStart } from "../../core/record/session-record.ts";
import type { StopEvent } from "../../core/stop/stop-event.ts";
import { isBelow } from "../../machine/files/find-project.ts";
import { mainProject } from "../../machine/git/places.ts";

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
export function projectOfStray(
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

/** What was changed where the session began was not looked at. */
export function noticeOfStraying(root: string, began: string): readonly Notice[] {
  if (root === began) return [];
  const text = `Gauntlet: this session began in ${began}, and this stop was judged in ${root}: changes in the first were not looked at.`;
  return [{ key: `strayed ${root}`, text, isFirst: true }];
}

export function noticeOfLeaving({ cwd }: StopEvent, began: string): readonly Notice[] {
  const text = `Gauntlet: this session began in ${began}, and the agent stopped in ${cwd}, where there are no gates. Nothing was checked.`;
  return [{ key: `left ${began}`, text, isFirst: true }];
}
