import { basename, dirname, join } from "node:path";
import { fail, ok, type Result } from "../../../trouble.ts";
import { directoriesIn } from "./stat-cache.ts";
import { hasCode } from "../../../system/files/errno.ts";
import { removeFile } from "../../../system/files/files.ts";
import { type Git, gitTrouble, splitNul } from "../../../system/git/git.ts";
import { copyIndex } from "../../../system/git/index-file.ts";

/** A work tree with an index that is outside of it, as git is told of them. */
export interface Place {
  readonly git: Git;
  readonly env: Readonly<Record<"GIT_DIR" | "GIT_WORK_TREE" | "GIT_INDEX_FILE", string>>;
}

interface Wanted {
  readonly tree: string;
  /** What is there, as far as is known. */
  readonly from: string | undefined;
  /** Whether nothing else is there, for certain. */
  readonly isCertain: boolean;
  /** Also what git ignores is removed. */
  readonly isFresh: boolean;
}

export const MAX_INDEX_BYTES = 1024 * 1024 * 1024;

/** Puts the files of a tree where those of another are. What git makes of what it then finds on the disk has the last word. */
export async function checkOut(
  place: Place,
  { tree, from, isCertain, isFresh }: Wanted,
): Promise<Result<void>> {
  const { git, env } = place;
  if (from !== undefined && !isFresh) {
    const [moved, written] = await Promise.all([
      git.ask(["read-tree", "-m", "-u", from, tree], { env }),
      isCertain ? writtenFor(place, from, tree) : undefined,
    ]);
    const isMoved = moved.ok && moved.value.exitCode === 0; // git refuses where a gate has touched what it would replace
    if (isMoved && (await holds(place, tree, written))) return ok(undefined);
  }
  const clean = isFresh ? "-ffdx" : "-ffd";
  for (const args of [
    ["read-tree", "--reset", "-u", tree],
    ["clean", "--quiet", clean],
    ["add", "--all"],
  ]) {
    const done = await git.output(args, { env });
    if (!done.ok) return done;
  }
  const here = await treeIn(place);
  if (!here.ok) return here;
  return here.value === tree
    ? ok(undefined)
    : fail(gitTrouble(["write-tree"], `the checkout is ${here.value}, not ${tree}`));
}

/**
 * The files that git writes to get from one tree to another, if looking at them is enough: where it also removes some, or other
 * rules say what is ignored, any file may be one too many.
 */
async function writtenFor({ git, env }: Place, from: string, tree: string): Promise<Names | undefined> {
  const asked = await git.output(["diff-tree", "-r", "-z", "--name-status", "--no-renames", from, tree], {
    env,
  });
  if (!asked.ok) return undefined;
  const fields = splitNul(asked.value);
  const names = fields.filter((_field, at) => at % 2 === 1);
  const isEnough = fields.every((field, at) => (at % 2 === 0 ? field !== "D" : !isRule(field)));
  return isEnough && names.length > 0 ? names : undefined;
}

/**
 * Whether the files, all of them or those of some names, are those of the tree: git would add nothing to an index that is the tree.
 * Both are asked at once, of two copies.
 */
export async function holds(place: Place, tree: string, names?: Names): Promise<boolean> {
  const { git, env } = place;
  const copy = `${env.GIT_INDEX_FILE}-copy`;
  if (!isCopied(env.GIT_INDEX_FILE, copy)) return false;
  const some = names && { args: NAMED, stdin: names.map((name) => `${name}\0`).join("") };
  const [added, here] = await Promise.all([
    git.output(["--literal-pathspecs", "add", "--all", "--dry-run", ...(some?.args ?? [])], {
      env: { ...env, GIT_INDEX_FILE: copy },
      ...(some && { stdin: some.stdin }),
    }),
    treeIn(place),
  ]);
  removeFile(copy);
  return added.ok && added.value.length === 0 && here.ok && here.value === tree;
}

function isCopied(index: string, copy: string): boolean {
  try {
    copyIndex(index, copy);
    return true;
  } catch (error) {
    if (hasCode(error)) return false; // a full disk
    throw error;
  }
}

async function treeIn({ git, env }: Place): Promise<Result<string>> {
  const written = await git.output(["write-tree"], { env });
  return written.ok ? ok(written.value.toString().trim()) : written;
}

type Names = readonly string[];

const NAMED = ["--pathspec-from-file=-", "--pathspec-file-nul"];

/** What changes which files git ignores, and how it writes them. */
const RULES = [".gitignore", ".gitattributes"];

function isRule(name: string): boolean {
  return RULES.includes(basename(name));
}

/**
 * All that git looks at: tracked files, and every directory that is not ignored as a whole, because a file that is new there counts.
 * Undefined where that cannot be listed.
 */
export async function filesToMark({ git, env }: Place): Promise<readonly string[] | undefined> {
  const list = ["ls-files", "-z", "-t", "--cached", "--others", "--directory"];
  const listed = await git.output(list, { env });
  if (!listed.ok) return undefined;
  const entries = splitNul(listed.value);
  const others = entries.filter((entry) => entry.startsWith("? ")).map((entry) => entry.slice(2));
  const tracked = entries.filter((entry) => !entry.startsWith("? ")).map((entry) => entry.slice(2));
  const untracked = others.filter((name) => name.endsWith("/"));
  const ignored = await ignoredOf({ git, env }, untracked);
  if (ignored === undefined) return undefined;
  const rules = others.filter(isRule);
  const paths = [...tracked, ...directoriesOf(tracked), ...rules].map((name) => join(git.cwd, name));
  try {
    const watched = untracked.filter((name) => !ignored.has(name));
    return [...paths, ...watched.flatMap((name) => directoriesIn(join(git.cwd, name), RULES))];
  } catch {
    return undefined; // a directory that cannot be read, or is gone by now
  }
}

/** Those of some directories in which git ignores everything. */
async function ignoredOf(
  { git, env }: Place,
  directories: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  if (directories.length === 0) return new Set();
  const stdin = directories.map((name) => `${name}\0`).join("");
  const asked = await git.ask(["check-ignore", "-z", "--stdin"], { env, stdin });
  if (!asked.ok || asked.value.exitCode > 1) return undefined;
  return new Set(splitNul(asked.value.stdout));
}

/** The directories that hold some files, the top among them. */
function directoriesOf(names: readonly string[]): ReadonlySet<string> {
  const found = new Set([""]);
  for (const name of names)
    for (let above = dirname(name); above !== "." && !found.has(above); above = dirname(above))
      found.add(above);
  return found;
}
