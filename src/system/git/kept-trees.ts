import { closeSync, openSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SessionStart } from "../../stop/session.ts";
import { now } from "../clock.ts";
import { hasCode } from "../files/errno.ts";
import { discard, makePrivateDirectory, modifiedAt, namesIn, removeIfEmpty } from "../files/files.ts";
import { stateHome } from "../files/xdg.ts";
import type { KeptTree } from "./compare/base.ts";
import type { Repository } from "./repository.ts";
import { type Git, LOOK_OPTIONS, splitNul } from "./git.ts";
import { copyIndex } from "./index-file.ts";
import { makeScratch, removeScratch, sweepScratch } from "../files/owned-scratch.ts";
import { bytesOf, keptSnapshot, MAX_UNTRACKED_BYTES } from "./snapshot.ts";
import { LARGE_INDEX_BYTES } from "./unchanged.ts";
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
  const changed = await changedPaths(repository);
  if (head !== undefined && changed?.length === 0) return `${head}${COMMITTED}`;
  const parent = treesOf(projectStateDir(root, env));
  const keep = (from: string): void => moveObjects(from, join(parent, OBJECTS));
  try {
    makePrivateDirectory(join(parent, OBJECTS));
    sweepScratch(parent);
    const quick = changed && (await keepChanged(repository, changed, { parent, keep }));
    if (quick !== undefined) return quick;
    const tree = await keptSnapshot(repository, parent, keep);
    return tree.kind === "tree" ? tree.hash : undefined;
  } catch (error) {
    if (hasCode(error)) return undefined; // a full disk, a home directory that cannot be written
    throw error;
  }
}

/** What differs from HEAD; undefined if plain git commands do not tell everything. */
async function changedPaths(repository: Repository): Promise<readonly string[] | undefined> {
  const { top, marks, places } = repository;
  if (marks().mayHoldSubmodule || (await repository.hasFilters())) return undefined; // git would run a submodule's filters
  const isLarge = (statSync(places.index, { throwIfNoEntry: false })?.size ?? 0) > LARGE_INDEX_BYTES;
  const looking = Promise.all((isLarge ? SIDE_BY_SIDE : AT_ONCE).map((args) => names(top, args)));
  const { mayHide } = marks(); // while git looks
  const found = await looking;
  if (mayHide) return undefined;
  const paths = found.flatMap((some) => some ?? [UNKNOWN]);
  return paths.some((path) => NOT_PLAIN.test(path)) ? undefined : paths;
}

const AT_ONCE = [["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"]];
const SIDE_BY_SIDE = [
  ["diff-index", "--name-only", "-z", "--no-ext-diff", "HEAD"],
  ["ls-files", "-z", "--others", "--exclude-standard"],
];

async function names(top: Git, args: readonly string[]): Promise<readonly string[] | undefined> {
  const answer = await top.output([...LOOK_OPTIONS, ...args]);
  if (!answer.ok) return undefined;
  const entries = splitNul(answer.value);
  return args.includes("status") ? entries.map((entry) => entry.slice(3)) : entries;
}

const NOT_PLAIN = /\/$|\uFFFD/;
const UNKNOWN = "/";

/** A snapshot of these files only. */
async function keepChanged(
  repository: Repository,
  paths: readonly string[],
  { parent, keep }: { readonly parent: string; readonly keep: (directory: string) => void },
): Promise<string | undefined> {
  const { top, places } = repository;
  if (bytesOf(top.cwd, paths) > MAX_UNTRACKED_BYTES) return undefined;
  const directory = makeScratch(parent);
  try {
    const env = repository.scratchEnv(directory);
    copyIndex(places.index, env.GIT_INDEX_FILE);
    const update = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
    const stdin = paths.map((path) => `${path}\0`).join("");
    const staged = await top.output([...LOOK_OPTIONS, ...update], { env, stdin });
    const tree = staged.ok ? await top.output(["write-tree"], { env }) : staged;
    if (!tree.ok) return undefined;
    discard(env.GIT_INDEX_FILE);
    keep(directory);
    return tree.value.toString().trim();
  } finally {
    removeScratch(directory);
  }
}

/** The tree that a session began with, and where its objects are; undefined if it was not kept, or no longer is. */
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

/** git's words for a commit's tree. */
const COMMITTED = "^{tree}";
const OBJECTS = "objects";
/** Its time says when that was done last. */
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
