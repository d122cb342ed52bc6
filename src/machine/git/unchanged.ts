import { statSync } from "node:fs";
import { type Git, LOOK_OPTIONS, splitNul } from "./git.ts";
import { areNone, findHiddenIn } from "./hidden-files.ts";
import { hasOtherSize } from "./index-file.ts";

/** Whether the work tree is exactly what it was when this index was kept. What became ignored since then still counts. */
export async function isUnchangedSince(top: Git, index: string): Promise<boolean> {
  const kept = statSync(index, { throwIfNoEntry: false });
  if (kept === undefined) return false;
  if (kept.size <= LARGE_INDEX_BYTES && hasOtherSize(index, top.cwd)) return false;
  return hasNoChange(top, { GIT_INDEX_FILE: index });
}

type Env = Readonly<Record<string, string>> & { readonly GIT_INDEX_FILE: string };

/** Two processes side by side pay off when there are many files; for a few, starting the second costs more. */
const LARGE_INDEX_BYTES = 512 * 1024;

/** Whether git sees no difference between the work tree and the index that `env` names. */
export async function hasNoChange(top: Git, env: Env): Promise<boolean> {
  const kept = statSync(env.GIT_INDEX_FILE, { throwIfNoEntry: false });
  if (kept === undefined) return false; // a gate has cleared the temporary directory
  const [seesNoChange, hidden] = await Promise.all([
    kept.size > LARGE_INDEX_BYTES ? areManyUnchanged(top, env) : isSilent(top, [...NEW, ...MODIFIED], env),
    findHiddenIn(top, env),
  ]);
  return seesNoChange && areNone(hidden); // files hidden at the time were revealed, so such a file has come since
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
