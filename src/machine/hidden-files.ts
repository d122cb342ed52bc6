import { lstatSync } from "node:fs";
import { join } from "node:path";
import { git, gitOutput, splitNul } from "./git.ts";
import type { GitPlaces } from "./git-places.ts";
import { readIndexMarks } from "./git-index.ts";

/** Files git was told not to look at, so that no edit of theirs shows: by `git update-index`, by name from the top. */
export interface HiddenFiles {
  readonly assumedUnchanged: readonly string[];
  readonly skipped: readonly string[];
}

/** Finds them. A skipped file that is not there is a sparse checkout's, and hides nothing. */
export async function findHiddenFiles(
  { top, index }: Pick<GitPlaces, "top" | "index">,
  env: Readonly<Record<string, string>> = {},
): Promise<HiddenFiles> {
  if (!readIndexMarks(index).mayHide) return { assumedUnchanged: [], skipped: [] };
  const listed = await gitOutput(top, ["ls-files", "-v", "-z"], { env });
  const entries = listed.ok ? splitNul(listed.value).filter(isMarked).map(readEntry) : [];
  return {
    assumedUnchanged: entries.filter(({ tag }) => tag !== tag.toUpperCase()).map(({ name }) => name),
    skipped: entries
      .filter(({ tag, name }) => tag.toUpperCase() === "S" && isThere(join(top, name)))
      .map(({ name }) => name),
  };
}

export function areNone({ assumedUnchanged, skipped }: HiddenFiles): boolean {
  return assumedUnchanged.length === 0 && skipped.length === 0;
}

/** Makes git look at them again, in the index that `env` names: never the user's own. */
export async function revealFiles(
  top: string,
  { assumedUnchanged, skipped }: HiddenFiles,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await unmark("--no-assume-unchanged", assumedUnchanged);
  await unmark("--no-skip-worktree", skipped);

  async function unmark(option: string, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const stdin = names.map((name) => `${name}\0`).join("");
    await git(top, ["update-index", option, "-z", "--stdin"], { env, stdin });
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
