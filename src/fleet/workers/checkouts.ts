import { join } from "node:path";
import { fail, ok, type Result } from "../../core/trouble.ts";
import {
  makePrivateDirectory,
  namesIn,
  readBytes,
  readText,
  removeTree,
  troubleOf,
  writeFileAtomic,
} from "../../machine/files/files.ts";
import { Git, gitTrouble } from "../../machine/git/git.ts";
import { listContents } from "../../machine/git/snapshot.ts";
import { runProcess } from "../../machine/process/run-process.ts";

/** A directory that jobs of one repository run in, one at a time. */
interface Slot {
  readonly name: string;
  readonly repository: string;
  /** What it holds, if that is known. */
  tree: string | undefined;
  isBusy: boolean;
  usedAt: number;
}

/** A checkout with exactly the files of a tree; disposing of it makes room for the next job. */
export interface Checkout extends Disposable {
  readonly path: string;
  /** Whether its files still are those of the tree. */
  readonly isUntouched: () => Promise<boolean>;
  /** What is in each file of the project that is at this place in it; undefined where that is not known. */
  readonly listFiles: (project: string) => ReturnType<typeof listContents>;
}

interface CheckoutsOptions {
  readonly directory: string;
  /** Where trees are fetched from. */
  readonly source: string;
  /** Also what git ignores is removed before each job. */
  readonly isFresh: boolean;
}

interface Wanted {
  readonly tree: string;
  readonly repository: string;
}

/**
 * The warm checkouts of a worker: what git ignores, such as installed dependencies, stays in them from job to job. Objects and indexes
 * are outside of them, so that what a gate does to the repository it finds there changes nothing for us.
 */
export class Checkouts {
  readonly #options: CheckoutsOptions;
  readonly #slots: Slot[];
  readonly #commits = new Map<string, string>();
  #fetching: Promise<unknown> = Promise.resolve();
  #uses = 0;
  #nextName: number;

  constructor(options: CheckoutsOptions) {
    this.#options = options;
    const names = namesIn(this.#trees).filter((name) => /^\d+$/.test(name));
    this.#slots = names.map((name) => ({
      name,
      repository: textOf(this.#file(name, "repository")),
      tree: undefined,
      isBusy: false,
      usedAt: 0,
    }));
    this.#nextName = Math.max(0, ...names.map((name) => Number(name) + 1));
  }

  async take(wanted: Wanted, signal: AbortSignal): Promise<Result<Checkout>> {
    const slot = this.#free(wanted);
    slot.isBusy = true;
    slot.usedAt = this.#uses += 1;
    const filled = await this.#fill(slot, wanted.tree, signal);
    if (filled.ok) return ok(this.#hold(slot));
    slot.tree = undefined;
    slot.isBusy = false;
    return filled;
  }

  #hold(slot: Slot): Checkout {
    const path = join(this.#trees, slot.name);
    const env = this.#env(slot);
    return {
      path,
      isUntouched: () => isUntouched(new Git(path), env),
      listFiles: (project) => listContents(new Git(join(path, project)), env),
      [Symbol.dispose]: () => void (slot.isBusy = false),
    };
  }

  /** Removes checkouts that are not in use, the coldest first, until the rest takes no more than this. */
  async shrinkTo(bytes: number): Promise<void> {
    const cold = (): Slot | undefined =>
      this.#slots.filter(({ isBusy }) => !isBusy).toSorted((one, other) => one.usedAt - other.usedAt)[0];
    while ((await bytesIn(this.#options.directory)) > bytes) {
      const slot = cold();
      if (slot === undefined) break;
      this.#slots.splice(this.#slots.indexOf(slot), 1);
      for (const path of [join(this.#trees, slot.name), this.#file(slot.name, "index")]) removeTree(path);
    }
    if (this.#slots.length > 0) return;
    removeTree(this.#objects); // without a checkout, what is left is objects that nothing uses
    this.#commits.clear();
  }

  get #trees(): string {
    return join(this.#options.directory, "trees");
  }

  get #objects(): string {
    return join(this.#options.directory, "objects.git");
  }

  #file(name: string, what: "index" | "repository"): string {
    return join(this.#options.directory, "slots", `${name}.${what}`);
  }

  #env({ name }: Slot): Readonly<Record<string, string>> {
    return {
      GIT_DIR: this.#objects,
      GIT_WORK_TREE: join(this.#trees, name),
      GIT_INDEX_FILE: this.#file(name, "index"),
    };
  }

  #free({ tree, repository }: Wanted): Slot {
    const free = this.#slots.filter((slot) => !slot.isBusy && slot.repository === repository);
    const found = free.find((slot) => slot.tree === tree) ?? free[0];
    if (found !== undefined) return found;
    const name = String(this.#nextName++);
    const slot: Slot = { name, repository, tree: undefined, isBusy: false, usedAt: 0 };
    this.#slots.push(slot);
    return slot;
  }

  async #fill(slot: Slot, tree: string, signal: AbortSignal): Promise<Result<void>> {
    const path = join(this.#trees, slot.name);
    const git = new Git(path, signal);
    const env = this.#env(slot);
    const isWarm = slot.tree === tree && !this.#options.isFresh && (await isUntouched(git, env));
    if (isWarm) return this.#showToGates(slot, tree);
    try {
      for (const directory of [this.#trees, path]) makePrivateDirectory(directory);
    } catch (error) {
      return troubleOf("create", path, error);
    }
    const noted = writeFileAtomic(this.#file(slot.name, "repository"), slot.repository);
    const fetched = noted.ok ? await this.#fetch(tree, signal) : noted;
    const checkedOut = fetched.ok ? await this.#checkOut(git, { tree, env }) : fetched;
    if (!checkedOut.ok) return checkedOut;
    slot.tree = tree;
    return this.#showToGates(slot, tree);
  }

  /** One at a time: git locks the list of shallow commits, and several jobs often want the same tree. */
  #fetch(tree: string, signal: AbortSignal): Promise<Result<void>> {
    const fetching = this.#fetching.then(async (): Promise<Result<void>> => {
      if (this.#commits.has(tree)) return ok(undefined);
      const git = new Git(this.#options.directory, signal);
      const ref = `refs/gauntlet/${tree}`;
      const made = await git.output(["init", "--quiet", "--bare", this.#objects]);
      if (!made.ok) return made;
      const source = ["--", this.#options.source, `+${ref}:${ref}`];
      const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--depth=1"];
      const fetched = await git.output(["--git-dir", this.#objects, "fetch", ...options, ...source]);
      if (!fetched.ok) return fetched;
      const names = await git.output(["--git-dir", this.#objects, "rev-parse", ref, `${ref}^{tree}`]);
      if (!names.ok) return names;
      const [commit = "", found = ""] = names.value.toString().split("\n");
      if (found !== tree) return fail(gitTrouble(["fetch", ref], `it holds the tree ${found}`));
      this.#commits.set(tree, commit);
      return this.#forgetOldest(git);
    });
    this.#fetching = fetching;
    return fetching;
  }

  /** Each ref is offered to the other side with every fetch. */
  async #forgetOldest(git: Git): Promise<Result<void>> {
    const held = new Set(this.#slots.map((slot) => slot.tree));
    const old = [...this.#commits.keys()].slice(0, -MOST_COMMITS).find((tree) => !held.has(tree));
    if (old === undefined) return ok(undefined);
    this.#commits.delete(old);
    const done = await git.output(["--git-dir", this.#objects, "update-ref", "-d", `refs/gauntlet/${old}`]);
    return done.ok ? ok(undefined) : done;
  }

  /** The tree that git makes of what it finds on the disk has the last word. */
  async #checkOut(
    git: Git,
    { tree, env }: { readonly tree: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<Result<void>> {
    const clean = this.#options.isFresh ? "-ffdx" : "-ffd";
    for (const args of [
      ["read-tree", "--reset", "-u", tree],
      ["clean", "--quiet", clean],
      ["add", "--all"],
    ]) {
      const done = await git.output(args, { env });
      if (!done.ok) return done;
    }
    const found = await git.output(["write-tree"], { env });
    if (!found.ok) return found;
    const here = found.value.toString().trim();
    return here === tree
      ? ok(undefined)
      : fail(gitTrouble(["write-tree"], `the checkout is ${here}, not ${tree}`));
  }

  /** A repository for gates that ask git, with HEAD at the tree and its objects where ours are. */
  async #showToGates({ name }: Slot, tree: string): Promise<Result<void>> {
    const path = join(this.#trees, name);
    const commit = this.#commits.get(tree) ?? "";
    const index = readBytes(this.#file(name, "index"), MAX_INDEX_BYTES);
    if (!index.ok) return index;
    const head = join(path, ".git/HEAD");
    if (textOf(head) === "" || this.#options.isFresh) {
      removeTree(join(path, ".git"));
      const made = await new Git(path).output(["init", "--quiet"]);
      if (!made.ok) return made;
    }
    for (const [file, content] of [
      ["objects/info/alternates", `${this.#objects}/objects\n`],
      ["shallow", `${commit}\n`],
      ["index", index.value],
      ["HEAD", `${commit}\n`],
    ] as const) {
      const there = readBytes(join(path, ".git", file), MAX_INDEX_BYTES);
      if (there.ok && there.value.equals(Buffer.from(content))) continue; // most gates leave it alone
      const written = writeFileAtomic(join(path, ".git", file), content);
      if (!written.ok) return written;
    }
    return ok(undefined);
  }
}

const MOST_COMMITS = 64;
const MAX_INDEX_BYTES = 1024 * 1024 * 1024;

/** Whether a checkout still is what our index says: git would add nothing. */
async function isUntouched(git: Git, env: Readonly<Record<string, string>>): Promise<boolean> {
  const added = await git.output(["add", "--all", "--dry-run"], { env });
  return added.ok && added.value.length === 0;
}

function textOf(path: string): string {
  const text = readText(path);
  return text.ok ? text.value : "";
}

async function bytesIn(directory: string): Promise<number> {
  const output: Buffer[] = [];
  const argv = ["du", "-sk", directory] as const;
  await runProcess({ argv, cwd: "/", env: process.env, onOutput: (chunk) => output.push(chunk) });
  return Number.parseInt(Buffer.concat(output).toString(), 10) * 1024 || 0;
}
