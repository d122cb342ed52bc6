import { lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Movement } from "../../core/baseline/movement.ts";
import { ok } from "../../core/trouble.ts";
import { hasCode } from "../files/errno.ts";
import { type Git, LOOK_OPTIONS, splitNul } from "./git.ts";
import { areNone, filteredSubmodules, findHiddenIn, submodulesWithHiddenChanges } from "./hidden-files.ts";
import { filesTouchedSince, hasOtherFacts, type IndexMarks, marksIn, readIfThere } from "./index-file.ts";
import type { Repository } from "./repository.ts";

/** Whether the work tree is exactly what it was when this index was kept. What became ignored since then still counts. */
export async function isUnchangedSince(repository: Repository, index: string): Promise<boolean> {
  const { top } = repository;
  const kept = readIfThere(index);
  if (kept === undefined || kept.length === 0) return false; // git would wait for a pipe in its place
  if (kept.length <= LARGE_INDEX_BYTES && hasOtherFacts(kept, top.cwd)) return false;
  const marks = marksIn(kept);
  const ask = (env: Env): Promise<boolean> => hasNoChange(top, { ...env, GIT_INDEX_FILE: index }, marks);
  try {
    return await repository.look(ask, () => marks);
  } catch (error) {
    if (hasCode(error)) return false; // a full disk, no temporary directory
    throw error;
  }
}

type Env = Readonly<Record<string, string>>;
type IndexEnv = Env & { readonly GIT_INDEX_FILE: string };

/** Two processes side by side pay off when there are many files; for a few, starting the second costs more. */
export const LARGE_INDEX_BYTES = 512 * 1024;

/** Whether git sees no difference between the work tree and the index that `env` names. */
async function hasNoChange(top: Git, env: IndexEnv, marks: IndexMarks): Promise<boolean> {
  const kept = statSync(env.GIT_INDEX_FILE, { throwIfNoEntry: false });
  if (kept === undefined) return false; // a gate has cleared the temporary directory
  const [seesNoChange, hidden] = await Promise.all([
    kept.size > LARGE_INDEX_BYTES ? areManyUnchanged(top, env) : isSilent(top, [...NEW, ...MODIFIED], env),
    findHiddenIn(top, env, marks),
  ]);
  const isSeen = seesNoChange && hidden.ok && areNone(hidden.value); // files hidden at the time were revealed, so such a file has come since
  return isSeen && (env["GIT_DIR"] === undefined || !(await isFilteredTouched(top, env)));
}

/** Whether a file was written since that git reads through a filter: that the filter makes the same of it says nothing about its bytes. */
async function isFilteredTouched(top: Git, env: IndexEnv): Promise<boolean> {
  const seen = filesTouchedSince(env.GIT_INDEX_FILE, top.cwd);
  const touched = seen.isAll ? seen.names : await names(top, TOUCHED, env);
  if (touched === undefined || touched.length === 0) return touched === undefined;
  const stdin = touched.map((name) => `${name}\0`).join("");
  const answer = await top.output(["check-attr", "-z", "--stdin", "filter"], { env, stdin });
  return (
    !answer.ok ||
    splitNul(answer.value).some((value, at) => at % 3 === 2 && !/^un(?:specified|set)$/.test(value))
  );
}

/** What happened to the work tree since the index that `env` names was written. */
export async function movementSince(repository: Repository, env: IndexEnv): Promise<Movement> {
  const { top } = repository;
  const filtered = await filteredSubmodules(repository);
  const touch = filtered.length === 0 ? TOUCHED : [...TOUCHED, "--ignore-submodules=dirty"];
  const seen = filesTouchedSince(env.GIT_INDEX_FILE, top.cwd);
  const [named, added, hidden, inside] = await Promise.all([
    seen.isAll ? seen.names : names(top, touch, env),
    names(top, NEW, env),
    findHiddenIn(top, env),
    filtered.length === 0 ? ok([]) : submodulesWithHiddenChanges(repository),
  ]);
  const isStill = hidden.ok && areNone(hidden.value) && inside.ok && inside.value.length === 0;
  const isKnown = named !== undefined && added !== undefined && isStill;
  if (!isKnown) return { isCurrent: false, touched: [] }; // a gate has cleared the temporary directory, or git is gone
  const written = [...new Set([...named, ...seen.names])];
  const some = ["--literal-pathspecs", "ls-files", "-z", ...MODIFIED, "--", ...written.slice(0, MAX_TOUCHED)];
  const changed = new Set(written.length === 0 ? [] : await names(top, some, env));
  const touched = [
    ...written.map((path) => ({ path, ...whenChanged(top, path), isChanged: changed.has(path) })),
    ...added.map((path) => ({ path, ...whenChanged(top, path), isChanged: true })),
  ];
  const isCurrent = written.length <= MAX_TOUCHED && changed.size === 0 && added.length === 0;
  return { isCurrent, touched };
}

async function names(top: Git, args: readonly string[], env: Env): Promise<readonly string[] | undefined> {
  const answer = await top.output([...LOOK_OPTIONS, ...args], { env });
  return answer.ok ? splitNul(answer.value) : undefined;
}

/** A file that is gone changed its directory, or what stands in the place of that. */
function whenChanged(top: Git, path: string): { readonly at?: number } {
  for (let place = join(top.cwd, path); place.length >= top.cwd.length; place = dirname(place)) {
    try {
      return { at: lstatSync(place).ctimeMs };
    } catch (error) {
      if (!hasCode(error)) throw error;
    }
  }
  return {};
}

async function areManyUnchanged(top: Git, env: Env): Promise<boolean> {
  const [touched, isNothingNew] = await Promise.all([
    top.output([...LOOK_OPTIONS, ...TOUCHED], { env }),
    isSilent(top, NEW, env),
  ]);
  const names = touched.ok ? splitNul(touched.value) : [];
  if (!touched.ok || !isNothingNew || names.length > MAX_TOUCHED) return false;
  return (
    names.length === 0 ||
    isSilent(top, ["--literal-pathspecs", "ls-files", "-z", ...MODIFIED, "--", ...names], env)
  );
}

async function isSilent(top: Git, args: readonly string[], env: Env): Promise<boolean> {
  const answer = await top.output([...LOOK_OPTIONS, ...args], { env });
  return answer.ok && answer.value.length === 0;
}

const NEW = ["ls-files", "-z", "--others", "--exclude-standard"];
const MODIFIED = ["--modified", "--deleted"];
/** Fast, but also names files with another time and the same content; those few are then read. */
const TOUCHED = ["diff-files", "-z", "--name-only", "--no-ext-diff"];
const MAX_TOUCHED = 200;
