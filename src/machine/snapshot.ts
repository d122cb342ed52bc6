import { lstatSync } from "node:fs";
import { join } from "node:path";
import { nodeOs } from "./builtin.ts";
import { copyIndex } from "./copy-index.ts";
import { readIndexMarks } from "./git-index.ts";
import { findGitPlaces, type GitPlaces } from "./git-places.ts";
import { git, gitOutput, splitNul } from "./git.ts";
import { areNone, findHiddenFiles, revealFiles } from "./hidden-files.ts";
import { hasNoChange, listUntracked, LOOK_OPTIONS } from "./look-at-tree.ts";
import { makeScratch, removeScratch } from "./snapshot-scratch.ts";

/** The content of the whole work tree as one git tree id, or why there is none and no answer may be reused. */
export type Fingerprint =
  { readonly kind: "tree"; readonly hash: string } | { readonly kind: "none"; readonly reason: string };

/**
 * The work tree at one moment, in an index and object directory of our own: no byte is written into the user's
 * repository, index, stash or refs (git only marks objects it meets again as recently used).
 */
export interface Snapshot extends AsyncDisposable {
  /** Where its index and new objects are; absent when there is no fingerprint. */
  readonly directory?: string;
  /** Worked out when it is first asked for. */
  readonly fingerprint: () => Promise<Fingerprint>;
  /** Every file of the project with what is in it; undefined when there is no snapshot. */
  readonly listFiles: () => Promise<ReadonlyMap<string, string> | undefined>;
  /** Whether the work tree is still what it was. */
  readonly isCurrent: () => Promise<boolean>;
  /** Copies the index, so that a later process can ask `isUnchangedSince`; not one with a submodule, whose files it does not tell. */
  readonly keepIndex: (to: string) => void;
}

interface SnapshotOptions {
  /** Where its index and objects go for the time being. */
  readonly parent?: string;
  /** The untracked files below `cwd`, when somebody finds them anyway. */
  readonly untracked?: Untracked;
}

type Untracked = Promise<readonly string[] | undefined>;

/** Above this, hashing what is not committed would cost more than running the gates. */
const MAX_UNTRACKED_BYTES = 100 * 1024 * 1024;

/** Uses a snapshot and removes what it needed. */
export async function withSnapshot<T>(
  cwd: string,
  use: (snapshot: Snapshot) => Promise<T>,
  options: SnapshotOptions = {},
): Promise<T> {
  await using snapshot = await takeSnapshot(cwd, options);
  return await use(snapshot); // removed when this is done
}

/** Takes a snapshot. It stands when this returns. */
export async function takeSnapshot(
  cwd: string,
  { parent = nodeOs().tmpdir(), untracked }: SnapshotOptions = {},
): Promise<Snapshot> {
  const places = await findGitPlaces(cwd);
  if (places === undefined) return noSnapshot("not in a git work tree");
  let directory: string | undefined;
  try {
    directory = makeScratch(parent);
    const env = scratchEnv(directory, places);
    const known = places.prefix === "" ? untracked : undefined;
    const problem = await stage(places, env, known);
    return problem === undefined ? snapshotIn(directory, places, env) : noSnapshot(problem, directory);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return noSnapshot(`no place to work in: ${error.message}`, directory); // a full disk, no temporary directory
  }
}

/** The fingerprint as one id; undefined where there is none. */
export async function treeIdOf({ fingerprint }: Snapshot): Promise<string | undefined> {
  const tree = await fingerprint();
  return tree.kind === "tree" ? tree.hash : undefined;
}

function snapshotIn(directory: string, { top, prefix }: GitPlaces, env: Env): Snapshot {
  let writing: Promise<Fingerprint> | undefined;
  return {
    directory,
    fingerprint: () => (writing ??= writeTree(top, env)),
    listFiles: () => listIndex(join(top, prefix), env),
    isCurrent: () => hasNoChange(top, env),
    keepIndex: (to) => keepIndex(join(directory, "index"), to),
    [Symbol.asyncDispose]: async () => {
      await writing; // git may still write into the directory
      removeScratch(directory);
    },
  };
}

function noSnapshot(reason: string, directory?: string): Snapshot {
  if (directory !== undefined) removeScratch(directory);
  return {
    fingerprint: () => Promise.resolve(none(reason)),
    listFiles: () => Promise.resolve(undefined),
    isCurrent: () => Promise.resolve(false),
    keepIndex: () => {},
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function keepIndex(from: string, to: string): void {
  if (!readIndexMarks(from).mayHoldSubmodule) copyIndex(from, to);
}

type Env = Readonly<Record<string, string>>;

function scratchEnv(directory: string, { objects }: GitPlaces): Env {
  return {
    GIT_INDEX_FILE: join(directory, "index"),
    GIT_OBJECT_DIRECTORY: directory,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects),
  };
}

/** Writes the state of every file into our index; returns why that cannot be done, if so. */
async function stage(places: GitPlaces, env: Env, known?: Untracked): Promise<string | undefined> {
  const { top, index } = places;
  copyIndex(index, env["GIT_INDEX_FILE"] ?? "");
  if (readIndexMarks(index).mayHoldSubmodule && (await isSubmoduleDirty(top))) return "a submodule is dirty";
  const tooMuch = new AbortController();
  const staging = addAll(places, { env, signal: tooMuch.signal });
  const untracked = bytesOf(top, (await known) ?? (await listUntracked(top)));
  if (untracked > MAX_UNTRACKED_BYTES) tooMuch.abort();
  const staged = await staging;
  if (untracked > MAX_UNTRACKED_BYTES) return "more than 100 MB of untracked files";
  if (!staged.ok || staged.value.exitCode !== 0) return "git cannot read every file";
  return staged.value.stderr.includes("embedded git repository")
    ? "a repository inside the repository"
    : undefined;
}

/** Files git was told not to look at are looked at too: gates see them. */
async function addAll(places: GitPlaces, options: { env: Env; signal: AbortSignal }): ReturnType<typeof git> {
  const { top } = places;
  const add = ["add", "--all", "--", "."];
  const [added, hidden] = await Promise.all([look(top, add, options), findHiddenFiles(places)]);
  if (areNone(hidden)) return added;
  await revealFiles(top, hidden, options.env);
  return look(top, add, options);
}

async function writeTree(top: string, env: Env): Promise<Fingerprint> {
  const tree = await gitOutput(top, ["write-tree"], { env });
  return tree.ok ? { kind: "tree", hash: tree.value.toString().trim() } : none("git cannot write the tree");
}

async function listIndex(dir: string, env: Env): Promise<ReadonlyMap<string, string> | undefined> {
  const list = await gitOutput(dir, ["ls-files", "-z", "--stage"], { env });
  if (!list.ok) return undefined;
  const entries = splitNul(list.value).map((entry): [string, string] => {
    const tab = entry.indexOf("\t");
    return [entry.slice(tab + 1), entry.slice(0, tab)];
  });
  return new Map(entries);
}

function look(
  top: string,
  args: readonly string[],
  options: Parameters<typeof git>[2],
): ReturnType<typeof git> {
  return git(top, [...LOOK_OPTIONS, ...args], options);
}

async function isSubmoduleDirty(top: string): Promise<boolean> {
  const status = await gitOutput(top, [
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=no",
    "--ignore-submodules=none",
  ]);
  return !status.ok || splitNul(status.value).some((entry) => /^[12u] .. S.*[MU]/.test(entry.slice(0, 9)));
}

function bytesOf(top: string, names: readonly string[]): number {
  let bytes = 0;
  for (const name of names) {
    bytes += lstatSync(join(top, name), { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > MAX_UNTRACKED_BYTES) break;
  }
  return bytes;
}

function none(reason: string): Fingerprint {
  return { kind: "none", reason };
}
