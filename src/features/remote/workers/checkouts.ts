import { dirname, join } from "node:path";
import { ok, type Result } from "../../../trouble.ts";
import { FileMarks } from "./file-marks.ts";
import {
  makePrivateDirectory,
  namesIn,
  readBytes,
  readText,
  removeTree,
  troubleOf,
  writeFileAtomic,
} from "../../../system/files/files.ts";
import { Git } from "../../../system/git/git.ts";
import { bytesUnlikeGit } from "../../../system/git/conversions.ts";
import { listContents } from "../../../system/git/snapshot.ts";
import { runProcess } from "../../../system/process/run-process.ts";
import { TreeObjects } from "./tree-objects.ts";
import { checkOut, filesToMark, holds, MAX_INDEX_BYTES, type Place } from "./check-out.ts";

interface Slot {
  readonly name: string;
  readonly repository: string;
  tree: string | undefined;
  wanted?: string;
  marks?: FileMarks | undefined;
  isBusy: boolean;
  usedAt: number;
}

/** A checkout of exactly one tree; disposing of it frees it for the next job. */
export interface Checkout extends Disposable {
  readonly path: string;
  readonly isUntouched: () => Promise<boolean>;
  readonly listFiles: (project: string) => ReturnType<typeof listContents>;
  readonly bytesUnlikeGit: () => Promise<string | undefined>;
}

interface CheckoutsOptions {
  readonly directory: string;
  readonly source: string;
  readonly isFresh: boolean;
}

interface Wanted {
  readonly tree: string;
  readonly repository: string;
}

/**
 * Warm checkouts keep what git ignores, such as installed dependencies. Objects and indexes are outside of them, out of reach
 * of gates.
 */
export class Checkouts {
  readonly #options: CheckoutsOptions;
  readonly #slots: Slot[];
  readonly #objects: TreeObjects;
  #uses = 0;
  #nextName: number;

  constructor(options: CheckoutsOptions) {
    this.#options = options;
    this.#objects = new TreeObjects(options, () => this.#slots.flatMap(({ tree, wanted }) => [tree, wanted]));
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

  get areFresh(): boolean {
    return this.#options.isFresh;
  }

  async take(wanted: Wanted, signal: AbortSignal): Promise<Result<Checkout>> {
    const slot = this.#free(wanted);
    slot.isBusy = true;
    slot.wanted = wanted.tree;
    slot.usedAt = this.#uses += 1;
    const filled = await this.#fill(slot, wanted.tree, signal);
    if (filled.ok) return ok(this.#hold(slot));
    Object.assign(slot, { tree: undefined, isBusy: false });
    return filled;
  }

  #hold(slot: Slot): Checkout {
    const path = join(this.#trees, slot.name);
    const { git, env } = this.#place(slot);
    return {
      path,
      isUntouched: async () => this.#isAsMarked(slot) || this.#isUntouched(slot),
      listFiles: (project) => listContents(new Git(join(path, project)), env),
      bytesUnlikeGit: () => bytesUnlikeGit(git, env),
      [Symbol.dispose]: () => {
        slot.isBusy = false;
      },
    };
  }

  async shrinkTo(bytes: number): Promise<void> {
    const cold = (): Slot | undefined =>
      this.#slots.filter(({ isBusy }) => !isBusy).toSorted((one, other) => one.usedAt - other.usedAt)[0];
    const isTooBig = async (): Promise<boolean> => (await bytesIn(this.#options.directory)) > bytes;
    const isIdle = this.#slots.every(({ isBusy }) => !isBusy);
    if (this.#objects.isWorthPruning(isIdle) || (await isTooBig())) await this.#objects.prune();
    while (await isTooBig()) {
      const slot = cold();
      if (slot === undefined) break;
      this.#slots.splice(this.#slots.indexOf(slot), 1);
      const files = (["index", "repository", "clock"] as const).map((what) => this.#file(slot.name, what));
      for (const path of [join(this.#trees, slot.name), ...files]) removeTree(path);
    }
    if (this.#slots.length > 0) return;
    this.#objects.remove(); // without a checkout, what is left is objects that nothing uses
  }

  get #trees(): string {
    return join(this.#options.directory, "trees");
  }

  #file(name: string, what: "index" | "repository" | "clock"): string {
    return join(this.#options.directory, "slots", `${name}.${what}`);
  }

  #place({ name }: Slot, signal?: AbortSignal): Place {
    const path = join(this.#trees, name);
    const env = {
      GIT_DIR: this.#objects.path,
      GIT_WORK_TREE: path,
      GIT_INDEX_FILE: this.#file(name, "index"),
    };
    return { git: new Git(path, signal), env };
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
    const isWarm = slot.tree === tree && !this.#options.isFresh;
    if (isWarm && this.#isAsMarked(slot)) return ok(undefined);
    if (isWarm && (await this.#isUntouched(slot, signal))) return this.#showToGates(slot, tree);
    const from = slot.tree;
    Object.assign(slot, { tree: undefined, marks: undefined });
    try {
      for (const directory of [this.#trees, path]) makePrivateDirectory(directory);
    } catch (error) {
      return troubleOf("create", path, error);
    }
    const noted = writeFileAtomic(this.#file(slot.name, "repository"), slot.repository);
    const fetched = noted.ok ? await this.#objects.fetch(tree, signal) : noted;
    if (!fetched.ok) return fetched;
    const { isFresh } = this.#options;
    const [commit, checkedOut] = await Promise.all([
      this.#objects.commitOf(tree),
      checkOut(this.#place(slot, signal), { tree, from, isFresh }),
    ]);
    if (!commit.ok) return commit;
    if (!checkedOut.ok) return checkedOut;
    slot.tree = tree;
    return this.#showToGates(slot, tree);
  }

  #isAsMarked({ marks }: Slot): boolean {
    return marks?.areSame() === true;
  }

  async #isUntouched(slot: Slot, signal?: AbortSignal): Promise<boolean> {
    const place = this.#place(slot, signal);
    const shown = SHOWN.map((file) => join(this.#trees, slot.name, ".git", file));
    slot.marks = undefined;
    const paths = await filesToMark(place);
    const marks = paths && new FileMarks([...paths, ...shown]); // before git examines them: a change meanwhile shows later
    if (slot.tree === undefined || !(await holds(place, slot.tree))) return false;
    if (marks?.areSettled(this.#file(slot.name, "clock"))) slot.marks = marks;
    return true;
  }

  /** A repository for gates that call git: HEAD is at the tree, objects are ours. */
  async #showToGates(slot: Slot, tree: string): Promise<Result<void>> {
    const path = join(this.#trees, slot.name, ".git");
    const commit = await this.#objects.commitOf(tree);
    const index = readBytes(this.#file(slot.name, "index"), MAX_INDEX_BYTES);
    if (!index.ok) return index;
    if (!commit.ok) return commit;
    if (textOf(join(path, "HEAD")) === "" || this.#options.isFresh) {
      removeTree(path);
      const made = await new Git(dirname(path)).output(["init", "--quiet"]);
      if (!made.ok) return made;
    }
    const name = `${commit.value}\n`;
    const contents = [`${this.#objects.path}/objects\n`, name, index.value, name];
    for (const [at, file] of SHOWN.entries()) {
      const written = writeIfOther(join(path, file), Buffer.from(contents[at] ?? ""));
      if (!written.ok) return written;
    }
    return ok(undefined);
  }
}

const SHOWN = ["objects/info/alternates", "shallow", "index", "HEAD"];

function writeIfOther(path: string, content: Buffer): Result<void> {
  const there = readBytes(path, MAX_INDEX_BYTES);
  return there.ok && there.value.equals(content) ? ok(undefined) : writeFileAtomic(path, content);
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
