import { statSync } from "node:fs";
import { hasOtherSize } from "./git-index.ts";
import { findGitPlaces, placesByLayout } from "./git-places.ts";
import { gitOutput, splitNul } from "./git.ts";
import { areNone, findHiddenFiles } from "./hidden-files.ts";

/**
 * Whether the work tree is exactly what it was when a snapshot's index was kept. What became ignored since then still
 * counts.
 */
export async function isUnchangedSince(cwd: string, index: string): Promise<boolean> {
  const kept = statSync(index, { throwIfNoEntry: false });
  const places = placesByLayout(cwd) ?? (await findGitPlaces(cwd)); // at once where it can be: git starts before the caller goes on
  if (kept === undefined || places === undefined) return false;
  if (kept.size <= LARGE_INDEX_BYTES && hasOtherSize(index, places.top)) return false;
  return hasNoChange(places.top, { GIT_INDEX_FILE: index });
}

type Env = Readonly<Record<string, string>>;

/** Two processes side by side pay off when there are many files; for a few, starting the second costs more. */
const LARGE_INDEX_BYTES = 512 * 1024;

/** Whether git sees no difference between the work tree and the index that `env` names. */
export async function hasNoChange(top: string, env: Env): Promise<boolean> {
  const index = env["GIT_INDEX_FILE"] ?? "";
  const kept = statSync(index, { throwIfNoEntry: false });
  if (kept === undefined) return false; // a gate has cleared the temporary directory
  const [seesNoChange, hidden] = await Promise.all([
    kept.size > LARGE_INDEX_BYTES ? areManyUnchanged(top, env) : isSilent(top, [...NEW, ...MODIFIED], env),
    findHiddenFiles({ top, index }, env),
  ]);
  return seesNoChange && areNone(hidden); // what was hidden and there was revealed: such a file has come since
}

async function areManyUnchanged(top: string, env: Env): Promise<boolean> {
  const [touched, isNothingNew] = await Promise.all([
    gitOutput(top, [...LOOK_OPTIONS, ...TOUCHED], { env }),
    isSilent(top, NEW, env),
  ]);
  const names = touched.ok ? splitNul(touched.value) : [];
  if (!touched.ok || !isNothingNew || names.length > MAX_TOUCHED) return false;
  return (
    names.length === 0 ||
    isSilent(top, ["--literal-pathspecs", "ls-files", "-z", ...MODIFIED, "--", ...names], env)
  );
}

async function isSilent(top: string, args: readonly string[], env: Env): Promise<boolean> {
  const answer = await gitOutput(top, [...LOOK_OPTIONS, ...args], { env });
  return answer.ok && answer.value.length === 0;
}

const NEW = ["ls-files", "-z", "--others", "--exclude-standard"];
const MODIFIED = ["--modified", "--deleted"];
/** Fast, but also names files with another time and the same content; those few are then read. */
const TOUCHED = ["diff-files", "-z", "--name-only", "--no-ext-diff"];
const MAX_TOUCHED = 200;

/** The files git does not know and does not ignore, from the top. */
export async function listUntracked(top: string): Promise<readonly string[]> {
  const names = await gitOutput(top, NEW);
  return names.ok ? splitNul(names.value) : [];
}

/**
 * What a repository's settings may leave out of sight counts: modes, links, a change that kept size and time. Objects that
 * live for a moment need no compression; a warning about line endings must not become a refusal.
 */
export const LOOK_OPTIONS = [
  "core.fileMode=true",
  "core.symlinks=true",
  "core.trustctime=true",
  "core.checkStat=default",
  "core.looseCompression=0",
  "core.safecrlf=false",
].flatMap((setting) => ["-c", setting]);
