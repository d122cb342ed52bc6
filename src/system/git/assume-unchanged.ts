import { join } from "node:path";
import { ok, type Result } from "../../trouble.ts";
import { type Git, splitNul, LOOK_OPTIONS } from "./git.ts";
import { readIndexMarks, copyIndex } from "./index-file.ts";
import type { Repository } from "./repository.ts";
import { makeScratch, removeScratch } from "../files/owned-scratch.ts";
import { factsOf, readText } from "../files/files.ts";

interface HiddenFiles {
  readonly assumedUnchanged: readonly string[];
  readonly skipped: readonly string[];
}

type Env = Readonly<Record<string, string>>;

const NONE: HiddenFiles = { assumedUnchanged: [], skipped: [] };

export function findHiddenFiles({ top, marks }: Repository): Promise<Result<HiddenFiles>> {
  return marks().mayHide ? listHidden(top, {}) : Promise.resolve(ok(NONE));
}

export function findHiddenIn(
  top: Git,
  env: Env & { readonly GIT_INDEX_FILE: string },
  marks = readIndexMarks(env.GIT_INDEX_FILE),
): Promise<Result<HiddenFiles>> {
  return marks.mayHide ? listHidden(top, env) : Promise.resolve(ok(NONE));
}

/** A skipped file that is missing was removed, unless it belongs to a sparse checkout. */
async function listHidden(top: Git, env: Env): Promise<Result<HiddenFiles>> {
  const listed = await top.output(["ls-files", "-v", "-z"], { env });
  if (!listed.ok) return listed;
  const entries = splitNul(listed.value).filter(isMarked).map(readEntry);
  const skipped = entries.filter(({ tag }) => tag.toUpperCase() === "S").map(({ name }) => name);
  const there = skipped.filter((name) => factsOf(join(top.cwd, name)) !== undefined);
  const mayBeMissing = there.length === skipped.length || (await isSparse(top));
  return ok({
    assumedUnchanged: entries.filter(({ tag }) => tag !== tag.toUpperCase()).map(({ name }) => name),
    skipped: mayBeMissing ? there : skipped,
  });
}

async function isSparse(top: Git): Promise<boolean> {
  const answer = await top.output(["config", "--type=bool", "--default=false", "core.sparseCheckout"]);
  return answer.ok && answer.value.toString().trim() === "true";
}

export function areNone({ assumedUnchanged, skipped }: HiddenFiles): boolean {
  return assumedUnchanged.length === 0 && skipped.length === 0;
}

/** Clears the marks in the index that `env` names: never the user's own. */
export async function revealFiles(
  top: Git,
  { assumedUnchanged, skipped }: HiddenFiles,
  env: Env,
): Promise<Result<unknown>> {
  const assumed = await unmark("--no-assume-unchanged", assumedUnchanged);
  return assumed.ok ? unmark("--no-skip-worktree", skipped) : assumed;

  async function unmark(option: string, names: readonly string[]): Promise<Result<unknown>> {
    if (names.length === 0) return ok(undefined);
    const stdin = names.map((name) => `${name}\0`).join("");
    return top.output(["update-index", option, "-z", "--stdin"], { env, stdin });
  }
}

export async function lookAtEveryFile<T>(
  repository: Repository,
  ask: (env: Env) => Promise<Result<T>>,
): Promise<Result<T>> {
  const [answer, hidden] = await Promise.all([repository.look(ask), findHiddenFiles(repository)]);
  if (!hidden.ok) return hidden;
  if (areNone(hidden.value)) return answer;
  const scratch = makeScratch();
  try {
    const env = { ...(await repository.filterEnv(scratch)), GIT_INDEX_FILE: join(scratch, "index") };
    copyIndex(repository.places.index, env.GIT_INDEX_FILE);
    const revealed = await revealFiles(repository.top, hidden.value, env);
    return revealed.ok ? await ask(env) : revealed;
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

/**
 * Submodules with changes that git hides from the repository around them: files that it is set to ignore, or settings of the
 * submodule that no option given outside overrides.
 */
export async function submodulesWithHiddenChanges(
  repository: Repository,
): Promise<Result<readonly string[]>> {
  const submodules = await repository.submodules();
  if (!submodules.ok) return submodules;
  const looks = await Promise.all(
    submodules.value.map(async ({ name, inside }) => ({ name, look: await look(inside) })),
  );
  const failed = looks.find(({ look: one }) => !one.ok)?.look;
  if (failed?.ok === false) return failed;
  return ok(looks.filter(({ look: one }) => one.ok && one.value).map(({ name }) => name));
}

async function look(inside: Repository): Promise<Result<boolean>> {
  const deeper = await submodulesWithHiddenChanges(inside);
  if (!deeper.ok || deeper.value.length > 0) return deeper.ok ? ok(true) : deeper;
  if (!inside.marks().mayHide && !hasHidingSettings(inside) && !(await inside.hasFilters())) return ok(false);
  const status = [...LOOK_OPTIONS, "status", "--porcelain", "-z", "--untracked-files=all"];
  const option = await submoduleOption(inside);
  const output = await lookAtEveryFile(inside, (env) => inside.top.output([...status, option], { env }));
  return output.ok ? ok(output.value.length > 0) : output;
}

/** Not into submodules with filters, which would find the submodule's own directory; those we scan ourselves. */
export async function submoduleOption(repository: Repository): Promise<string> {
  return `--ignore-submodules=${(await filteredSubmodules(repository)).length > 0 ? "dirty" : "none"}`;
}

export async function filteredSubmodules(repository: Repository): Promise<readonly string[]> {
  const submodules = await repository.submodules();
  if (!submodules.ok || submodules.value.length === 0) return [];
  const found = await Promise.all(
    submodules.value.map(async ({ name, inside }) => {
      const isFiltered = (await inside.hasFilters()) || (await filteredSubmodules(inside)).length > 0;
      return isFiltered ? [name] : [];
    }),
  );
  return found.flat();
}

function hasHidingSettings({ places }: Repository): boolean {
  const config = readText(join(places.commonDir, "config"));
  return !config.ok || HIDING.test(config.value);
}

const HIDING =
  /filemode\s*=\s*false|symlinks\s*=\s*false|ignorecase\s*=\s*true|trustctime|checkstat|include/i;
