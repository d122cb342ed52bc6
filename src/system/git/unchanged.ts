import { hasCode } from "../files/errno.ts";
import { type Git, LOOK_OPTIONS, splitNul } from "./git.ts";
import { areNone, findHiddenIn } from "./assume-unchanged.ts";
import type { PassIndex } from "./index-file.ts";
import { type IndexEnv, KeptIndex, namesOf, TOUCHED } from "./kept-index.ts";
import { WITH_IGNORE_FILES } from "./own-ignores.ts";
import type { Repository } from "./repository.ts";
import { sha256 } from "#runtime";

/** Whether the work tree is what it was when this index was kept. A file that is ignored since still counts. */
export async function isUnchangedSince(
  repository: Repository,
  { path, hash, ignoreFiles }: PassIndex,
): Promise<boolean> {
  const kept = KeptIndex.read(repository, path);
  if (kept === undefined || kept.hasOtherFiles()) return false;
  const ask = (env: Env): Promise<boolean> =>
    hasNoChange(repository.top, { kept, known: new Set(ignoreFiles) }, { ...env, GIT_INDEX_FILE: path });
  try {
    const looking = repository.look(ask, () => kept.marks);
    const isAsKept = sha256(kept.bytes) === hash; // while git looks: it is 10 MB for 100,000 files
    return (await looking) && isAsKept;
  } catch (error) {
    if (hasCode(error)) return false; // a full disk, no temporary directory
    throw error;
  }
}

type Env = Readonly<Record<string, string>>;

export const LARGE_INDEX_BYTES = 512 * 1024;

interface Passed {
  readonly kept: KeptIndex;
  /** Ignored `.gitignore` files that were there. */
  readonly known: ReadonlySet<string>;
}

async function hasNoChange(top: Git, { kept, known }: Passed, env: IndexEnv): Promise<boolean> {
  const isByName = kept.bytes.length > LARGE_INDEX_BYTES || kept.needsGit();
  const [written, hidden] = await Promise.all([
    isByName ? writtenButSame(top, env, known) : nothingIfUnchanged(top, env, known),
    findHiddenIn(top, env, kept.marks),
  ]);
  if (written === undefined || !hidden.ok || !areNone(hidden.value)) return false; // files hidden at the time were revealed, so such a file has come since
  return (await kept.rewritten([...new Set([...written, ...kept.touched()])], env)).length === 0;
}

async function nothingIfUnchanged(
  top: Git,
  env: Env,
  known: ReadonlySet<string>,
): Promise<readonly [] | undefined> {
  return (await namesOnly(top, [...NEW_OR_HIDING, ...MODIFIED], env, known)) ? [] : undefined;
}

/** Whether git lists nothing but these names. */
async function namesOnly(
  top: Git,
  args: readonly string[],
  env: Env,
  known: ReadonlySet<string>,
): Promise<boolean> {
  const listed = await top.output([...LOOK_OPTIONS, ...args], { env });
  return listed.ok && splitNul(listed.value).every((name) => known.has(name));
}

async function writtenButSame(
  top: Git,
  env: Env,
  known: ReadonlySet<string>,
): Promise<readonly string[] | undefined> {
  const [names, isNothingNew] = await Promise.all([
    namesOf(top, TOUCHED, env),
    namesOnly(top, NEW_OR_HIDING, env, known),
  ]);
  if (names === undefined || !isNothingNew || names.length > MAX_TOUCHED) return undefined;
  const args = ["--literal-pathspecs", "ls-files", "-z", ...MODIFIED, "--", ...names];
  return names.length === 0 || (await isSilent(top, args, env)) ? names : undefined;
}

export async function isSilent(top: Git, args: readonly string[], env: Env): Promise<boolean> {
  const answer = await top.output([...LOOK_OPTIONS, ...args], { env });
  return answer.ok && answer.value.length === 0;
}

export const NEW = ["ls-files", "-z", "--others", "--exclude-standard"];
const NEW_OR_HIDING = [...NEW, WITH_IGNORE_FILES];
export const MODIFIED = ["--modified", "--deleted"];
export const MAX_TOUCHED = 200;
