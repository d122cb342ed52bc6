import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type Git, splitNul } from "./git.ts";
import { readIndexMarks } from "./index-file.ts";
import type { Repository } from "./repository.ts";
import { copyIndex, makeScratch, removeScratch } from "./scratch-index.ts";

/** Files git was told not to look at, so that no edit of theirs shows: by `git update-index`, by name from the top. */
interface HiddenFiles {
  readonly assumedUnchanged: readonly string[];
  readonly skipped: readonly string[];
}

type Env = Readonly<Record<string, string>>;

const NONE: HiddenFiles = { assumedUnchanged: [], skipped: [] };

export function findHiddenFiles({ top, marks }: Repository): Promise<HiddenFiles> {
  return marks().mayHide ? listHidden(top, {}) : Promise.resolve(NONE);
}

/** The same for an index of our own. */
export function findHiddenIn(top: Git, env: Env & { readonly GIT_INDEX_FILE: string }): Promise<HiddenFiles> {
  return readIndexMarks(env.GIT_INDEX_FILE).mayHide ? listHidden(top, env) : Promise.resolve(NONE);
}

/** A skipped file that is not there belongs to a sparse checkout, and hides nothing. */
async function listHidden(top: Git, env: Env): Promise<HiddenFiles> {
  const listed = await top.output(["ls-files", "-v", "-z"], { env });
  const entries = listed.ok ? splitNul(listed.value).filter(isMarked).map(readEntry) : [];
  return {
    assumedUnchanged: entries.filter(({ tag }) => tag !== tag.toUpperCase()).map(({ name }) => name),
    skipped: entries
      .filter(({ tag, name }) => tag.toUpperCase() === "S" && isThere(join(top.cwd, name)))
      .map(({ name }) => name),
  };
}

export function areNone({ assumedUnchanged, skipped }: HiddenFiles): boolean {
  return assumedUnchanged.length === 0 && skipped.length === 0;
}

/** Makes git look at them again, in the index that `env` names: never the user's own. */
export async function revealFiles(
  top: Git,
  { assumedUnchanged, skipped }: HiddenFiles,
  env: Env,
): Promise<void> {
  await unmark("--no-assume-unchanged", assumedUnchanged);
  await unmark("--no-skip-worktree", skipped);

  async function unmark(option: string, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const stdin = names.map((name) => `${name}\0`).join("");
    await top.ask(["update-index", option, "-z", "--stdin"], { env, stdin });
  }
}

/** Asks git something about the work tree; when files are hidden from it, asks again with an index that hides none. */
export async function lookAtEveryFile<T>(repository: Repository, ask: (env: Env) => Promise<T>): Promise<T> {
  const [answer, hidden] = await Promise.all([ask({}), findHiddenFiles(repository)]);
  if (areNone(hidden)) return answer;
  const scratch = makeScratch();
  try {
    const env = { GIT_INDEX_FILE: join(scratch, "index") };
    copyIndex(repository.places.index, env.GIT_INDEX_FILE);
    await revealFiles(repository.top, hidden, env);
    return await ask(env);
  } finally {
    removeScratch(scratch);
  }
}

/** `H` is an ordinary file; a small letter is assumed unchanged, an `S` is skipped. */
function isMarked(entry: string): boolean {
  return !entry.startsWith("H ");
}

function readEntry(entry: string): { readonly tag: string; readonly name: string } {
  return { tag: entry.slice(0, 1), name: entry.slice(2) };
}

/** What cannot be reached is out of the gates' sight too. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
