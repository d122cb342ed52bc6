import { existsSync, mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { fail, ok, type Result } from "../../trouble.ts";
import { hasCode } from "../files/errno.ts";
import { troubleOf } from "../files/files.ts";
import { ownedName, removeScratch, scratchParents, sweepScratch } from "../files/owned-scratch.ts";
import type { KeptTree } from "./compare/base.ts";
import { canClone, movedPath, changedLock, copyDependencies, findDependencies } from "./dependencies.ts";
import { Git, gitTrouble, objectsEnv, splitNul } from "./git.ts";
import type { Repository } from "./repository.ts";

/** What is checked out elsewhere: the id of a tree, and the commit it counts as. */
export interface StoredTree extends KeptTree {
  readonly head: string | undefined;
  /** The work tree as it is, for which the installed dependencies are right. */
  readonly isCurrent?: true;
}

/** A tree in a separate repository outside the project. Removed when disposed of, or by the next run. */
export interface ScratchTree extends AsyncDisposable {
  readonly top: string;
  /** Why its dependencies are missing, if they are. */
  readonly missing?: string;
}

/** Writes nothing into the repository it comes from. */
export async function makeScratchTree(
  repository: Repository,
  stored: StoredTree,
  signal: AbortSignal,
): Promise<Result<ScratchTree>> {
  sweepScratch();
  const listed = await listTree(repository, stored);
  if (!listed.ok) return listed;
  const dependencies = (await findDependencies(repository)) ?? [];
  const place = await choosePlace(repository, dependencies);
  if (!place.ok) return place;
  const { directory, isClone } = place.value;
  const scratch = { top: join(directory, "tree"), [Symbol.asyncDispose]: () => removeStubborn(directory) };
  const filling = { repository, stored, top: scratch.top, dependencies, isClone, ...listed.value };
  const filled = await fill(filling, signal).catch((error) => fillTrouble(error, directory, signal));
  if (filled.ok) return ok({ ...scratch, missing: filled.value });
  await scratch[Symbol.asyncDispose]();
  return filled;
}

function fillTrouble(error: unknown, path: string, signal: AbortSignal): ReturnType<typeof fail> {
  return signal.aborted
    ? fail({ kind: "file-failed", action: "fill", path, detail: "no time was left" })
    : troubleOf("write", path, error);
}

interface Listed {
  readonly names: readonly string[];
  readonly links: readonly string[];
}

/** Every file of a tree, and which are links. Fails for a tree with submodules: their files are in another repository. */
async function listTree({ top }: Repository, { tree, objects }: StoredTree): Promise<Result<Listed>> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", tree];
  const listed = await top.output(args, { env: objectsEnv(objects) });
  if (!listed.ok) return listed;
  const entries = splitNul(listed.value).map((entry) => ({
    mode: entry.slice(0, 6),
    name: entry.slice(entry.indexOf("\t") + 1),
  }));
  const submodule = entries.find(({ mode }) => mode === "160000");
  if (submodule !== undefined) return fail(gitTrouble(args, `${submodule.name} is a submodule`));
  return ok({
    names: entries.map(({ name }) => name),
    links: entries.filter(({ mode }) => mode === "120000").map(({ name }) => name),
  });
}

interface Place {
  readonly directory: string;
  readonly isClone: boolean;
}

/** Prefers a file system that can clone the dependencies: copying them may take longer than the check. */
async function choosePlace({ places }: Repository, dependencies: readonly string[]): Promise<Result<Place>> {
  const [first] = dependencies;
  const parents = scratchParents()
    .filter((parent) => existsSync(parent))
    .map((parent) => realpathSync(parent))
    .filter((parent) => !`${parent}/`.startsWith(`${places.top}/`));
  try {
    for (const parent of first === undefined ? [] : parents) {
      const directory = mkdtempSync(join(parent, ownedName("gauntlet-baseline")));
      if (await canClone(join(places.top, first ?? ""), directory)) return ok({ directory, isClone: true });
      rmSync(directory, { recursive: true, force: true });
    }
    const directory = mkdtempSync(join(parents[0] ?? tmpdir(), ownedName("gauntlet-baseline")));
    return ok({ directory, isClone: false });
  } catch (error) {
    return troubleOf("write", parents[0] ?? tmpdir(), error);
  }
}

interface Filling extends Listed {
  readonly repository: Repository;
  readonly stored: StoredTree;
  readonly top: string;
  readonly dependencies: readonly string[];
  readonly isClone: boolean;
}

/** Returns why the dependencies are missing, if they are. */
async function fill(filling: Filling, signal: AbortSignal): Promise<Result<string | undefined>> {
  const { repository, stored, top: to, names, dependencies, isClone } = filling;
  const checkedOut = await checkOut(filling, signal);
  if (!checkedOut.ok) return checkedOut;
  if (dependencies.length === 0) return ok(undefined);
  const lock = stored.isCurrent ? undefined : await changedLock(repository, stored, names);
  if (lock !== undefined) return ok(`${lock} has changed since, so other dependencies are installed now`);
  const { top: from } = repository.places;
  return ok(await copyDependencies(dependencies, { from, to, isClone }, signal));
}

async function checkOut(filling: Filling, signal: AbortSignal): Promise<Result<void>> {
  const { repository, stored, top, links } = filling;
  mkdirSync(top);
  const git = new Git(top, signal);
  const format = stored.tree.length === 64 ? ["--object-format=sha256"] : [];
  const initialised = await git.output(["init", "--quiet", "--template=", ...format]);
  if (!initialised.ok) return initialised;
  const described = await describeRepository(filling);
  if (!described.ok) return described;
  // Only attributes of the tree itself: others could name a filter that puts today's problems into yesterday's files.
  const ownOnly = ["-c", `core.attributesFile=${devNull}`];
  const checkedOut = await git.output([...ownOnly, "read-tree", "--reset", "-u", stored.tree]);
  if (!checkedOut.ok) return checkedOut;
  for (const link of links) keepInside(join(top, link), { from: repository.places.top, to: top });
  return ok(undefined);
}

/** Gives it HEAD, refs, the settings that decide what a checkout looks like, and the location of the objects. */
async function describeRepository({ repository, stored, top }: Filling): Promise<Result<void>> {
  const { places, top: original } = repository;
  const [refs, settings] = await Promise.all([
    original.output(["for-each-ref", "--format=%(objectname) %(refname)"]),
    original.ask(["config", "--local", "--null", "--get-regexp", CHECKOUT_SETTINGS]),
  ]);
  if (!refs.ok) return refs;
  if (!settings.ok) return settings;
  const inside = join(top, ".git");
  const objects = [places.objects, ...stored.objects].map((path) => `${JSON.stringify(path)}\n`).join("");
  mkdirSync(join(inside, "objects/info"), { recursive: true });
  mkdirSync(join(inside, "info"), { recursive: true });
  await writeFile(join(inside, "objects/info/alternates"), objects);
  await writeFile(join(inside, "packed-refs"), refs.value);
  if (stored.head !== undefined) await writeFile(join(inside, "HEAD"), `${stored.head}\n`);
  for (const name of ["shallow", "info/exclude"])
    await copyFile(join(places.commonDir, name), join(inside, name)).catch(ifMissing);
  const git = new Git(top);
  for (const setting of splitNul(settings.value.stdout)) {
    const [name = "", ...value] = setting.split("\n");
    const set = await git.output(["config", "--local", "--add", name, value.join("\n")]);
    if (!set.ok) return set;
  }
  return ok(undefined);
}

const CHECKOUT_SETTINGS = String.raw`^(core\.(autocrlf|eol)|filter\.)`;

function ifMissing(error: unknown): void {
  if (!hasCode(error, "ENOENT")) throw error;
}

/** A committed link with the project's own path must lead to the same file of this tree. */
function keepInside(link: string, moved: { readonly from: string; readonly to: string }): void {
  const goal = readlinkSync(link);
  const inside = movedPath(goal, moved);
  if (inside === goal) return;
  rmSync(link);
  symlinkSync(inside, link);
}

/** Tools leave read-only directories, such as Go's modules. */
async function removeStubborn(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 }).catch(() => removeScratch(directory));
}
