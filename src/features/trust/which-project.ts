import { join } from "node:path";
import type { Notice } from "../../stop/notices.ts";
import { absolutePath, type AbsolutePath } from "../../path.ts";
import type { Considered, Stop } from "../../stop/handle-stop.ts";
import { retriesIn, type Session, type SessionStart } from "../../stop/session.ts";
import { passIndexOf, readWorkTree } from "../../stop/work-tree-store.ts";
import type { StopEvent } from "../../hosts/stop-event.ts";
import { findProject, isBelow } from "../../system/files/find-project.ts";
import { inLinkedTree, mainProject, registeredMain, topOf } from "../../system/git/places.ts";
import { pathsSinceIndex, pathsSinceTree } from "../../system/git/paths-since.ts";
import { sessionTree } from "../../system/git/kept-trees.ts";
import type { Environment } from "../../system/process/environment.ts";
import { projectStateDir } from "../../system/state/state-keys.ts";

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
  if (home !== undefined && here !== undefined) return isSameProject(here, home) ? here : home;
  if (home !== undefined) return withoutConfig(cwd, home) ?? home;
  if (here !== undefined) return here;
  const began = starts.find(({ root }) => isBelow(projectDir, root) || isBelow(cwd, root));
  return began && absolutePath(began.root);
}

/** A linked work tree of the project that lacks its configuration, which was never committed. */
function withoutConfig(cwd: string, home: string): AbsolutePath | undefined {
  const found = inLinkedTree(cwd, home);
  return found === undefined ? undefined : absolutePath(found);
}

/** All work trees of a repository are one project. */
export function isSameProject(one: string, other: string): boolean {
  return one === other || mainProject(one).root === mainProject(other).root;
}

/** Where else the session was: this stop says nothing about changes there. */
export async function otherPlaces(
  { event, env }: Stop,
  { root, session: { value } }: Considered,
): Promise<readonly Notice[]> {
  const { starts = [] } = value;
  const notices: Notice[] = [];
  for (const [at, start] of starts.entries()) {
    const isOther = start.root !== root && (at === 0 || isSameProject(start.root, root));
    if (isOther && !(await isSettled(start, { event, env, root, session: value })))
      notices.push(at === 0 ? otherPlace(root, start.root) : otherTree(root, start.root));
  }
  return notices;
}

interface Elsewhere {
  readonly event: StopEvent;
  readonly env: Environment;
  readonly root: string;
  readonly session: Session;
}

/** Another work tree of the same repository that is as it was, or as it passed, needs no word. */
async function isSettled(start: SessionStart, { event, env, root, session }: Elsewhere): Promise<boolean> {
  if (!isSameProject(start.root, root)) return false;
  if (event.parentId !== undefined) return true; // its parent's stop is about that one
  if (retriesIn(session, start.root).openFailures.length > 0) return false;
  const began = sessionTree(start, env);
  const top = topOf(start.root);
  if (top === undefined) return false;
  if (began !== undefined && areLinkedTrees(await pathsSinceTree(top, began))) return true;
  const stateDir = projectStateDir(start.root, env);
  const { pass } = readWorkTree(stateDir).value;
  const passed = pass === undefined ? undefined : passIndexOf(stateDir, pass);
  return passed !== undefined && areLinkedTrees(await pathsSinceIndex(top, passed.path));
}

/** Linked work trees inside of this one are places of their own. */
function areLinkedTrees(paths: readonly string[] | undefined): boolean {
  return paths?.every((path) => registeredMain(path) !== undefined) === true;
}

function otherPlace(root: string, began: string): Notice {
  const text = `Gauntlet: this session began in ${began}, and this stop was judged in ${root}: changes in the first were not looked at.`;
  return { rank: "not checked", key: `strayed ${began} ${root}`, text };
}

function otherTree(root: string, changed: string): Notice {
  const text = `Gauntlet: this session also changed ${changed}, and this stop was judged in ${root}: changes in the first were not looked at.`;
  return { rank: "not checked", key: `strayed ${changed} ${root}`, text };
}

/** A session that began in a linked work tree, while the main one has a configuration that was never committed. */
export function withoutGatesNotices({ cwd }: StopEvent): readonly Notice[] {
  const main = registeredMain(cwd);
  const project = main === undefined ? undefined : findProject(main);
  if (project === undefined) return [];
  const text = `Gauntlet: nothing was checked, because this work tree has no gates: commit ${join(project, ".gauntlet")}, and they come along.`;
  return [{ rank: "not checked", key: `without gates ${cwd}`, text }];
}

export function leftProjectNotice({ cwd }: StopEvent, began: string): Notice {
  const text = `Gauntlet: this session began in ${began}, and the agent stopped in ${cwd}, where there are no gates. Nothing was checked.`;
  return { rank: "not checked", key: `left ${began}`, text };
}
