import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fail, ok, type Result } from "../../../trouble.ts";
import { type Git, gitTrouble, splitNul } from "../../../system/git/git.ts";

export interface Place {
  readonly git: Git;
  readonly env: Readonly<Record<"GIT_DIR" | "GIT_WORK_TREE" | "GIT_INDEX_FILE", string>>;
}

interface Wanted {
  readonly tree: string;
  readonly from: string | undefined;
  readonly isFresh: boolean;
}

export const MAX_INDEX_BYTES = 1024 * 1024 * 1024;

/** Puts the files of a tree where those of another are. What git then finds on the disk decides. */
export async function checkOut(place: Place, { tree, from, isFresh }: Wanted): Promise<Result<void>> {
  const { git, env } = place;
  if (from !== undefined && !isFresh) {
    const moved = await git.ask(["read-tree", "-m", "-u", from, tree], { env });
    const isMoved = moved.ok && moved.value.exitCode === 0; // git refuses if a gate touched what it would replace
    if (isMoved && (await holds(place, tree))) return ok(undefined);
  }
  const clean = isFresh ? "-ffdx" : "-ffd";
  for (const args of [
    ["read-tree", "--reset", "-u", tree],
    ["clean", "--quiet", clean],
  ]) {
    const done = await git.output(args, { env });
    if (!done.ok) return done;
  }
  const here = await treeOnDisk(place);
  if (!here.ok) return here;
  return here.value === tree
    ? ok(undefined)
    : fail(gitTrouble(["write-tree"], `the checkout is ${here.value}, not ${tree}`));
}

export async function holds(place: Place, tree: string): Promise<boolean> {
  const here = await treeOnDisk(place);
  return here.ok && here.value === tree;
}

async function treeOnDisk({ git, env }: Place): Promise<Result<string>> {
  const added = await git.output(["add", "--all"], { env });
  if (!added.ok) return added;
  const written = await git.output(["write-tree"], { env });
  return written.ok ? ok(written.value.toString().trim()) : written;
}

/** What changes which files git ignores, and how it writes them. */
const RULES = [".gitignore", ".gitattributes"];

function isRule(name: string): boolean {
  return RULES.includes(basename(name));
}

/**
 * Tracked files, and every directory that git does not ignore as a whole: a new file there counts. Undefined if they cannot be
 * listed.
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

function directoriesOf(names: readonly string[]): ReadonlySet<string> {
  const found = new Set([""]);
  for (const name of names)
    for (let above = dirname(name); above !== "." && !found.has(above); above = dirname(above))
      found.add(above);
  return found;
}

function directoriesIn(path: string, fileNames: readonly string[]): readonly string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  return [
    path,
    ...entries.flatMap((entry) => {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) return directoriesIn(inside, fileNames);
      return fileNames.includes(entry.name) ? [inside] : [];
    }),
  ];
}
