import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "#runtime";
import { once } from "../../once.ts";
import type { Movement } from "../../run/movement.ts";
import { hasCode } from "../files/errno.ts";
import { bytesUnlikeGit, convertedFiles, filesUnlikeGit, hashOf, type UnlikeGit } from "./conversions.ts";
import { type Git, LOOK_OPTIONS, splitNul } from "./git.ts";
import {
  areNone,
  filteredSubmodules,
  findHiddenFiles,
  revealFiles,
  submoduleOption,
  submodulesWithHiddenChanges,
} from "./assume-unchanged.ts";
import { readIndexMarks, copyIndex } from "./index-file.ts";
import { factsOf, isFile } from "../files/files.ts";
import type { Repository } from "./repository.ts";
import { makeScratch, removeScratch } from "../files/owned-scratch.ts";
import { type Fingerprint, sizesIn, treeIdIn, treeIdOf } from "./tree-id.ts";
import { Movements } from "./movements.ts";

/**
 * The work tree at one moment, in an index and object directory of our own. Nothing is written into the user's repository,
 * index, stash or refs; git only refreshes the times of objects that it meets again.
 */
export interface Snapshot extends AsyncDisposable {
  readonly directory?: string;
  readonly fingerprint: () => Promise<Fingerprint>;
  readonly writeTree: () => Promise<Fingerprint>;
  /** The hash of the file sizes, which the fingerprint does not cover (line endings); undefined if unknown. */
  readonly sizes: () => string | undefined;
  readonly listFiles: () => Promise<ReadonlyMap<string, string> | undefined>;
  readonly state: () => Promise<string | undefined>;
  readonly unlikeGit: () => Promise<UnlikeGit | undefined>;
  readonly bytesUnlikeGit: () => Promise<string | undefined>;
  readonly look: Movements["look"];
  readonly movement: () => Promise<Movement>;
  /**
   * Copies the index for a later `isUnchangedSince` and returns its hash. Not with a submodule, whose files an index does not
   * tell.
   */
  readonly keepIndex: (to: string) => string | undefined;
}

interface SnapshotOptions {
  readonly parent?: string;
  readonly untracked: () => Promise<readonly string[] | undefined>;
}

const MAX_UNTRACKED_BYTES = 100 * 1024 * 1024;

export async function listUntracked(
  repository: Repository | undefined,
): Promise<readonly string[] | undefined> {
  const listed = await repository?.top.output(["ls-files", "-z", "--others", "--exclude-standard"]);
  return listed?.ok ? splitNul(listed.value) : undefined;
}

export async function takeSnapshot(
  repository: Repository | undefined,
  { parent, untracked }: SnapshotOptions,
): Promise<Snapshot> {
  if (repository === undefined) return noSnapshot("not in a git work tree");
  let directory: string | undefined;
  try {
    directory = makeScratch(parent);
    const env = { ...(await repository.filterEnv(directory)), ...repository.scratchEnv(directory) };
    const problem = await stage(repository, env, untracked);
    return problem === undefined ? snapshotIn(directory, repository, env) : noSnapshot(problem, directory);
  } catch (error) {
    if (!hasCode(error)) throw error;
    return noSnapshot(`no place to work in: ${error.message}`, directory); // a full disk, no temporary directory
  }
}

function snapshotIn(directory: string, repository: Repository, env: Env): Snapshot {
  const { top, git } = repository;
  let writing: Promise<Fingerprint> | undefined;
  const write = (): Promise<Fingerprint> => (writing ??= writeTree(top, env));
  const named = once(() => treeIdIn(join(directory, "index")));
  const movements = new Movements(repository, env);
  const fingerprint = (): Promise<Fingerprint> => {
    const hash = writing === undefined ? named() : undefined;
    return hash === undefined ? write() : Promise.resolve({ kind: "tree", hash });
  };
  const sizes = once(() => sizesIn(join(directory, "index")));
  return {
    directory,
    fingerprint,
    sizes,
    state: async () => {
      const id = treeIdOf(await fingerprint());
      return id === undefined ? undefined : `${id} ${sizes() ?? ""}`;
    },
    writeTree: write,
    listFiles: () => listContents(git, env),
    unlikeGit: () => filesUnlikeGit(top, env),
    bytesUnlikeGit: () =>
      repository.mayConvert(() => readIndexMarks(env.GIT_INDEX_FILE))
        ? bytesUnlikeGit(top, env)
        : Promise.resolve(""),
    look: (at) => movements.look(at),
    movement: () => movements.movement(),
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
    sizes: () => undefined,
    state: () => Promise.resolve(undefined),
    writeTree: () => Promise.resolve(none(reason)),
    listFiles: () => Promise.resolve(undefined),
    unlikeGit: () => Promise.resolve(undefined),
    bytesUnlikeGit: () => Promise.resolve(undefined),
    look: () => Promise.resolve([]),
    movement: () => Promise.resolve({ isCurrent: false, touched: [] }),
    keepIndex: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function keepIndex(from: string, to: string): string | undefined {
  if (readIndexMarks(from).mayHoldSubmodule) return undefined;
  copyIndex(from, to);
  return isFile(to) ? sha256(readFileSync(to)) : undefined;
}

type Env = ReturnType<Repository["scratchEnv"]>;

async function stage(
  repository: Repository,
  env: Env,
  listUntracked: SnapshotOptions["untracked"],
): Promise<string | undefined> {
  const { top, places } = repository;
  copyIndex(places.index, env.GIT_INDEX_FILE);
  if (repository.marks().mayHoldSubmodule) {
    const hidden = await submodulesWithHiddenChanges(repository);
    if (!hidden.ok || hidden.value.length > 0 || (await isSubmoduleDirty(repository)))
      return "a submodule is dirty";
  }
  const tooMuch = new AbortController();
  const staging = addAll(repository, { env, signal: tooMuch.signal });
  const untracked = bytesOf(top.cwd, (await listUntracked()) ?? []);
  if (untracked > MAX_UNTRACKED_BYTES) tooMuch.abort();
  const staged = await staging;
  if (untracked > MAX_UNTRACKED_BYTES) return "more than 100 MB of untracked files";
  if (!staged.ok || staged.value.exitCode !== 0) return "git cannot read every file";
  return staged.value.stderr.includes("embedded git repository")
    ? "a repository inside the repository"
    : undefined;
}

async function addAll(
  repository: Repository,
  options: { env: Env; signal: AbortSignal },
): ReturnType<Git["ask"]> {
  const { top } = repository;
  const add = await adding(repository, options.env);
  const [added, hidden] = await Promise.all([top.ask(add, options), findHiddenFiles(repository)]);
  if (!hidden.ok) return hidden;
  if (areNone(hidden.value)) return added;
  const revealed = await revealFiles(top, hidden.value, options.env);
  return revealed.ok ? top.ask(add, options) : revealed;
}

/**
 * `git add` scans every submodule and would run its filters. Those with filters are staged by their commit alone; they are
 * known to be clean by now.
 */
async function adding(repository: Repository, env: Env): Promise<readonly string[]> {
  const add = [...LOOK_OPTIONS, "add", "--all", "--", "."];
  const filtered = await filteredSubmodules(repository);
  if (filtered.length === 0) return add;
  const stdin = filtered.map((name) => `${name}\0`).join("");
  await repository.top.ask(["update-index", "-z", "--stdin"], { env, stdin });
  return [...add, ...filtered.map((name) => `:(exclude,literal)${name}`)];
}

async function writeTree(top: Git, env: Env): Promise<Fingerprint> {
  const tree = await top.output(["write-tree"], { env });
  return tree.ok ? { kind: "tree", hash: tree.value.toString().trim() } : none("git cannot write the tree");
}

async function isSubmoduleDirty(repository: Repository): Promise<boolean> {
  const option = await submoduleOption(repository);
  const ask = [...LOOK_OPTIONS, "status", "--porcelain=v2", "-z", "--untracked-files=no", option];
  const status = await repository.look((env) => repository.top.output(ask, { env }));
  return !status.ok || splitNul(status.value).some((entry) => /^[12u] .. S.*[MU]/.test(entry.slice(0, 9)));
}

function bytesOf(top: string, names: readonly string[]): number {
  let bytes = 0;
  for (const name of names) {
    bytes += factsOf(join(top, name))?.size ?? 0;
    if (bytes > MAX_UNTRACKED_BYTES) break;
  }
  return bytes;
}

function none(reason: string): Fingerprint {
  return { kind: "none", reason };
}

export async function keepSnapshot(repository: Repository | undefined, parent: string): Promise<Fingerprint> {
  mkdirSync(parent, { recursive: true });
  return keptSnapshot(repository, parent, (directory, tree) => {
    const kept = join(parent, tree);
    if (statSync(kept, { throwIfNoEntry: false }) === undefined) renameSync(directory, kept);
  });
}

export async function keptSnapshot(
  repository: Repository | undefined,
  parent: string,
  keep: (directory: string, tree: string) => void,
): Promise<Fingerprint> {
  const untracked = () => listUntracked(repository);
  await using snapshot = await takeSnapshot(repository, { parent, untracked });
  const { directory } = snapshot;
  const tree = await snapshot.writeTree();
  if (directory === undefined || tree.kind === "none") return tree;
  for (const name of ["index", "git"]) rmSync(join(directory, name), { recursive: true, force: true });
  keep(directory, tree.hash);
  return tree;
}

type ListContentsEnv = Readonly<Record<string, string>>;

/**
 * Every file of an index below git's directory, with its content's id. For files that git converts (line endings, filters)
 * their own bytes count, too; if those are unknown, there is no list.
 */
export async function listContents(
  git: Git,
  env: ListContentsEnv,
): Promise<ReadonlyMap<string, string> | undefined> {
  const list = await git.output(["ls-files", "-z", "--stage"], { env });
  if (!list.ok) return undefined;
  const contents = byName(list.value);
  const converted = await convertedFiles(git, [...contents.keys()], env);
  if (converted === undefined) return undefined;
  for (const name of converted.names) {
    const content = contents.get(name);
    if (content?.startsWith("100")) contents.set(name, `${content} ${hashOf(join(git.cwd, name))}`);
  }
  return contents;
}

/** Names that are not UTF-8 may look the same: they share an entry, which has the bytes of each. */
function byName(list: Buffer): Map<string, string> {
  const contents = new Map<string, string>();
  let from = 0;
  for (let end = list.indexOf(0); end !== -1; end = list.indexOf(0, from)) {
    const tab = list.indexOf("\t", from);
    const name = list.toString("utf8", tab + 1, end);
    const content = list.toString("latin1", from, tab);
    const isExact = !name.includes("\uFFFD");
    const exact = isExact ? content : `${content} ${list.toString("hex", tab + 1, end)}`;
    contents.set(name, [contents.get(name), exact].filter(Boolean).join(" "));
    from = end + 1;
  }
  return contents;
}
