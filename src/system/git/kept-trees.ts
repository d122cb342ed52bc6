import { closeSync, openSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { SessionStart } from "../../stop/session.ts";
import { now } from "../clock.ts";
import { hasCode } from "../files/errno.ts";
import {
  discard,
  factsOf,
  makePrivateDirectory,
  modifiedAt,
  namesIn,
  removeIfEmpty,
} from "../files/files.ts";
import { stateHome } from "../files/xdg.ts";
import type { KeptTree } from "./compare/base.ts";
import type { Repository } from "./repository.ts";
import { sweepScratch } from "../files/owned-scratch.ts";
import { keptSnapshot } from "./snapshot.ts";
import { treeIdOf } from "./tree-id.ts";
import { isSilent, LARGE_INDEX_BYTES } from "./unchanged.ts";
import type { Environment } from "../process/environment.ts";
import { projectStateDir } from "../state/state-keys.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 14 * DAY_MS;

/**
 * Keeps the work tree for two weeks, as a tree id, or as HEAD's tree if nothing is uncommitted; undefined if it cannot. All
 * sessions of a project share one object directory, so the same untracked files are stored once.
 */
export async function keepSessionTree(
  repository: Repository,
  head: string | undefined,
  { root, env }: { readonly root: string; readonly env: Environment },
): Promise<string | undefined> {
  if (head !== undefined && (await isClean(repository))) return `${head}${COMMITTED}`;
  const parent = treesOf(projectStateDir(root, env));
  const objects = join(parent, OBJECTS);
  try {
    makePrivateDirectory(objects);
    sweepScratch(parent);
    return treeIdOf(await keptSnapshot(repository, parent, (from) => moveObjects(from, objects)));
  } catch (error) {
    if (hasCode(error)) return undefined; // a full disk, a home directory that cannot be written
    throw error;
  }
}

async function isClean(repository: Repository): Promise<boolean> {
  const { top, marks, places } = repository;
  if (marks().mayHoldSubmodule || (await repository.hasFilters())) return false; // git would run a submodule's filters
  const isLarge = (factsOf(places.index)?.size ?? 0) > LARGE_INDEX_BYTES;
  const asking = Promise.all((isLarge ? SIDE_BY_SIDE : AT_ONCE).map((args) => isSilent(top, args, {})));
  const { mayHide } = marks(); // while git works
  return (await asking).every(Boolean) && !mayHide;
}

const AT_ONCE = [["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"]];
const SIDE_BY_SIDE = [
  ["diff-index", "--name-only", "-z", "--no-ext-diff", "HEAD"],
  ["ls-files", "-z", "--others", "--exclude-standard"],
];

export function sessionTree({ root, tree, at }: SessionStart, env: Environment): KeptTree | undefined {
  if (tree === undefined || now() - at > KEPT_MS) return undefined;
  const isCommitted = tree.endsWith(COMMITTED);
  return { tree, objects: isCommitted ? [] : [join(treesOf(projectStateDir(root, env)), OBJECTS)] };
}

/** Removes what no session began with for two weeks, in every project, once a day. */
export function pruneSessionTrees(env: Environment): void {
  const projects = join(stateHome(env), "projects");
  for (const project of namesIn(projects)) {
    const trees = treesOf(join(projects, project));
    const names = namesIn(trees);
    const isDue = now() - (modifiedAt(join(trees, PRUNED)) ?? 0) > DAY_MS;
    if (names.length > 0 && isDue) prune(trees);
  }
}

const COMMITTED = "^{tree}";
const OBJECTS = "objects";
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

/** An object that exists is replaced by the same, which renews its time. */
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
