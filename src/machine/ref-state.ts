import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { areSettled, type FileStamp, stampOf } from "./file-stamp.ts";
import type { GitPlaces } from "./git-places.ts";
import { namesIn } from "./names-in.ts";

/** Everything in a repository's own files that decides which commits some names mean and how those are related. */
export interface RefState {
  /** The same as long as nothing of it changed. */
  readonly key: string;
  /** Whether the next change is sure to give another key. */
  readonly isSettled: boolean;
}

/**
 * The state of HEAD, of the refs the names may mean, and of every remote's default branch. Interprets nothing: refs are taken
 * as they are written, so that only git says what they mean. Undefined for names that may depend on more than refs.
 */
export function refState({ gitDir, commonDir }: GitPlaces, names: readonly string[]): RefState | undefined {
  if (!names.every(isPlain)) return undefined;
  const texts = new Map<string, string | undefined>();
  const note = (path: string): void => {
    if (texts.has(path)) return;
    const text = readIfFile(path);
    texts.set(path, text);
    const target = /^ref: (\S+)/.exec(text ?? "")?.[1];
    if (target !== undefined) note(join(commonDir, target));
  };
  note(join(gitDir, "HEAD"));
  for (const name of names) {
    note(join(gitDir, name));
    for (const place of ["", "tags", "heads", "remotes"]) note(join(commonDir, "refs", place, name));
    note(join(commonDir, "refs/remotes", name, "HEAD"));
  }
  for (const remote of namesIn(join(commonDir, "refs/remotes")).toSorted())
    note(join(commonDir, "refs/remotes", remote, "HEAD"));
  const stamps = WHOLE.map((name): FileStamp => stampOf(join(commonDir, name)));
  const key = JSON.stringify([[...texts], stamps]);
  return { key, isSettled: areSettled(stamps) };
}

/** Packed refs, and what changes how commits are related or compared. */
const WHOLE = ["packed-refs", "reftable", "shallow", "info/grafts", "refs/replace", "config"];

/** A branch or a remote's branch; not an object id, an expression, or a name with a meaning of its own. */
function isPlain(name: string): boolean {
  return (
    /^\w[\w./-]*$/.test(name) && !/\.\.|\/\/|HEAD|^(?:main-worktree|worktrees)\/|^[\da-f]{4,64}$/.test(name)
  );
}

function readIfFile(path: string): string | undefined {
  return existsSync(path) && statSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
}
