import { join } from "node:path";
import { areSettled, type FileStamp, stampOf } from "../../files/file-stamp.ts";
import type { GitPlaces } from "../places.ts";
import { namesIn, readIfFile } from "../../files/files.ts";

export interface RefState {
  readonly key: string;
  readonly isSettled: boolean;
  /** Changes even if a ref moved and moved back. */
  readonly moment: () => string;
}

/**
 * The state of HEAD, of the refs that the names may mean, and of every remote's default branch. Refs are not interpreted: only
 * git says what they mean. Undefined for names that may depend on more than refs, and if refs are not files.
 */
export function refState(
  { gitDir, commonDir }: GitPlaces,
  names: readonly string[],
  read = readIfFile,
): RefState | undefined {
  if (!names.every(isPlain)) return undefined;
  const texts = new Map<string, string | undefined>();
  const note = (ref: string): void => {
    for (const dir of new Set([gitDir, commonDir])) noteFile(join(dir, ref)); // a linked work tree has its own
  };
  const noteFile = (path: string): void => {
    if (texts.has(path)) return;
    const text = read(path);
    texts.set(path, text);
    const target = /^ref: (\S+)/.exec(text ?? "")?.[1];
    if (target !== undefined) note(target);
  };
  noteFile(join(gitDir, "HEAD"));
  if (texts.get(join(gitDir, "HEAD"))?.startsWith(NO_FILE)) return undefined;
  const remotes = namesIn(join(commonDir, "refs/remotes")).toSorted();
  for (const name of [...names, ...remotes.map((remote) => `${remote}/HEAD`)])
    for (const [before, after] of PLACES) note(`${before}${name}${after}`);
  const stamps = WHOLE.map((name): FileStamp => stampOf(join(commonDir, name)));
  const key = JSON.stringify([[...texts], stamps]);
  const moment = (): string => JSON.stringify([...texts.keys()].map((path) => stampOf(path).stamp));
  return { key, isSettled: areSettled(stamps), moment };
}

/** What git writes into HEAD if refs are in tables (reftable). */
const NO_FILE = "ref: refs/heads/.invalid";

const PLACES = [
  ["", ""],
  ["refs/", ""],
  ["refs/tags/", ""],
  ["refs/heads/", ""],
  ["refs/remotes/", ""],
  ["refs/remotes/", "/HEAD"],
] as const;

const WHOLE = ["packed-refs", "shallow", "info/grafts", "refs/replace", "config"];

function isPlain(name: string): boolean {
  return (
    /^\w[\w./-]*$/.test(name) &&
    !/\.\.|\/\/|HEAD|^(?:main-worktree|worktrees)\/|(?:^|-g)[\da-f]{4,64}$/.test(name)
  );
}

export interface Head {
  readonly branch?: string;
  readonly commit?: string;
}

export function readHead({ gitDir, commonDir }: GitPlaces, read = readIfFile): Head {
  const text = read(join(gitDir, "HEAD"))?.trim() ?? "";
  if (text.startsWith(NO_FILE)) return {};
  const ref = /^ref: (\S+)$/.exec(text)?.[1];
  const commit = ref === undefined ? text : commitOf(ref, commonDir, read);
  const branch = ref?.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : undefined;
  return { branch, commit: isObjectId(commit) ? commit : undefined };
}

function commitOf(ref: string, commonDir: string, read: typeof readIfFile): string | undefined {
  const loose = read(join(commonDir, ref))?.trim();
  if (loose !== undefined) return loose;
  const packed = read(join(commonDir, "packed-refs"))?.split("\n");
  return packed?.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0];
}

function isObjectId(text: string | undefined): boolean {
  return text !== undefined && /^(?:[\da-f]{40}|[\da-f]{64})$/.test(text);
}
