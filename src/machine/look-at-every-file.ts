import { join } from "node:path";
import { nodeOs } from "./builtin.ts";
import { copyIndex } from "./copy-index.ts";
import { findGitPlaces } from "./git-places.ts";
import { areNone, findHiddenFiles, revealFiles } from "./hidden-files.ts";
import { makeScratch, removeScratch } from "./snapshot-scratch.ts";

type Env = Readonly<Record<string, string>>;

/** Asks git something about the work tree; when files are hidden from it, asks again with an index that hides none. */
export async function lookAtEveryFile<T>(dir: string, ask: (env: Env) => Promise<T>): Promise<T> {
  const places = await findGitPlaces(dir);
  if (places === undefined) return ask({});
  const { top, index } = places;
  const [answer, hidden] = await Promise.all([ask({}), findHiddenFiles(places)]);
  if (areNone(hidden)) return answer;
  let scratch: string | undefined;
  try {
    scratch = makeScratch(nodeOs().tmpdir());
    const env = { GIT_INDEX_FILE: join(scratch, "index") };
    copyIndex(index, env.GIT_INDEX_FILE);
    await revealFiles(top, hidden, env);
    return await ask(env);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return answer; // no place for a second index: then what git sees must do
  } finally {
    if (scratch !== undefined) removeScratch(scratch);
  }
}
