import { closeSync, openSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { SessionStart } from "../../core/session-record.ts";
import { now } from "../clock.ts";
import { hasCode } from "../files/errno.ts";
import { discard, makePrivateDirectory, modifiedAt, namesIn, removeIfEmpty } from "../files/files.ts";
import { stateHome } from "../files/xdg.ts";
import type { Repository } from "../git/repository.ts";
import { sweepScratch } from "../git/scratch-index.ts";
import { keptSnapshot } from "../git/snapshot.ts";
import type { Environment } from "../process/environment.ts";
import { projectStateDir } from "./project-dir.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 14 * DAY_MS;

/**
 * The work tree as it is now, as a tree id that can be read for two weeks; undefined where it cannot be kept. All trees of a project
 * share one object directory: sessions that begin with the same untracked files keep them once.
 */
export async function keepSessionTree(
  repository: Repository,
  root: string,
  env: Environment,
): Promise<string | undefined> {
  const parent = treesOf(projectStateDir(root, env));
  try {
    makePrivateDirectory(join(parent, OBJECTS));
    const tree = await keptSnapshot(repository, parent, (from) => moveObjects(from, join(parent, OBJECTS)));
    return tree.kind === "tree" ? tree.hash : undefined;
  } catch (error) {
    if (hasCode(error)) return undefined; // a full disk, a home directory that cannot be written
    throw error;
  }
}

/**
 * The tree a session began with and where those of its objects are that the repository did not have, for
 * `GIT_ALTERNATE_OBJECT_DIRECTORIES`. Undefined where it was not kept, or no longer is.
 */
export function sessionTree(
  { root, tree, at }: SessionStart,
  env: Environment,
): { readonly tree: string; readonly objects: string } | undefined {
  if (tree === undefined || now() - at > KEPT_MS) return undefined;
  return { tree, objects: join(treesOf(projectStateDir(root, env)), OBJECTS) };
}

/** Removes what no session has begun with for two weeks, in every project, and what killed processes left. Once a day. */
export function pruneSessionTrees(env: Environment): void {
  const projects = join(stateHome(env), "projects");
  for (const project of namesIn(projects)) {
    const trees = treesOf(join(projects, project));
    const names = namesIn(trees);
    const isDue = now() - (modifiedAt(join(trees, PRUNED)) ?? 0) > DAY_MS;
    if (names.length > 0 && isDue) prune(trees);
  }
}

const OBJECTS = "objects";
/** An empty file whose time says when that was done last. */
const PRUNED = "pruned";

function prune(trees: string): void {
  try {
    closeSync(openSync(join(trees, PRUNED), "w", 0o600));
  } catch (error) {
    if (hasCode(error)) return;
    throw error;
  }
  sweepScratch(trees);
  const directories = pathsIn(join(trees, OBJECTS));
  for (const object of directories.flatMap(pathsIn).filter(isOld)) discard(object);
  for (const directory of directories) removeIfEmpty(directory);
}

function isOld(object: string): boolean {
  return now() - (modifiedAt(object) ?? now()) > KEPT_MS;
}

function pathsIn(directory: string): readonly string[] {
  return namesIn(directory).map((name) => join(directory, name));
}

/** One that is there already is replaced by the same, which makes it new. */
function moveObjects(from: string, to: string): void {
  for (const directory of namesIn(from)) {
    makePrivateDirectory(join(to, directory));
    for (const name of namesIn(join(from, directory)))
      renameSync(join(from, directory, name), join(to, directory, name));
  }
}

function treesOf(projectDir: string): string {
  return join(projectDir, "trees");
}
