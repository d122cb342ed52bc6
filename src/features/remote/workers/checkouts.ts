import { dirname, join } from "node:path";
import { ok, type Result } from "../../../trouble.ts";
import { elapsedMs } from "../../../system/clock.ts";
import { StatCache, type FileMarks } from "./stat-cache.ts";
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
import { timeLimit } from "../../../system/process/time-limit.ts";
import { TreeObjects } from "./tree-objects.ts";
import { checkOut, filesToMark, holds, MAX_INDEX_BYTES, type Place } from "./check-out.ts";

/** A directory that jobs of one repository run in, one at a time. */
interface Slot {
  readonly name: string;
  readonly repository: string;
  /** What it holds, if that is known. */
  tree: string | undefined;
  /** What its last job asked for. */
  wanted?: string;
  /** Its files and directories, as they were when git found them to be those of the tree. */
  marks?: FileMarks | undefined;
  /** Whether it still holds its tree after the last job, and when that was asked. */
  looked?: { readonly isSame: Promise<boolean>; readonly atMs: number } | undefined;
  /** Until it is marked. */
  timer?: NodeJS.Timeout;
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
  /** The hash of files of which git keeps something else than their bytes; undefined where that is not known. */
  readonly bytesUnlikeGit: () => Promise<string | undefined>;
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
  readonly #objects: TreeObjects;
  readonly #statCache: StatCache;
  #uses = 0;
  #nextName: number;

  constructor(options: CheckoutsOptions) {
    this.#options = options;
    this.#objects = new TreeObjects(options, () => this.#slots.flatMap(({ tree, wanted }) => [tree, wanted]));
    this.#statCache = new StatCache(options.directory);
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
    clearTimeout(slot.timer);
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
      isUntouched: async () => (await slot.marks?.isSame()) || this.#isUntouched(slot),
      listFiles: (project) => listContents(new Git(join(path, project)), env),
      bytesUnlikeGit: () => bytesUnlikeGit(git, env),
      [Symbol.dispose]: () => {
        slot.isBusy = false;
        void this.#lookAfter(slot);
      },
    };
  }

  /** Looks while the end of the job is reported. What is not as marked is marked by an idle worker, when its times can be told from those of changes. */
  async #lookAfter(slot: Slot): Promise<void> {
    const isSame = slot.marks?.isSame() ?? Promise.resolve(false);
    slot.looked = { isSame, atMs: elapsedMs() };
    if (this.#options.isFresh || (await isSame)) return;
    if (slot.isBusy || slot.looked.isSame !== isSame) return; // the next job is there
    slot.timer = setTimeout(() => {
      if (this.#slots.some(({ isBusy }) => isBusy)) return; // gates need the processor more
      const isUntouched = this.#isUntouched(slot, timeLimit(IDLE_LOOK_MS)).catch(() => false);
      slot.looked = { isSame: isUntouched, atMs: elapsedMs() };
    }, SETTLED_MS).unref();
  }

  /** Removes checkouts that are not in use, the coldest first, until the rest takes no more than this. */
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
      this.#statCache.forget(slot.name);
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
    await slot.looked?.isSame; // git may be at it
    if (isWarm && (await this.#isAsMarked(slot))) return ok(undefined);
    if (isWarm && (await this.#isUntouched(slot, signal))) return this.#showToGates(slot, tree);
    const from = slot.tree;
    const asMarked = isWarm ? Promise.resolve(false) : this.#isAsMarked(slot); // while the tree is fetched
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
    const isCertain = await asMarked;
    const [commit, checkedOut] = await Promise.all([
      this.#objects.commitOf(tree),
      checkOut(this.#place(slot, signal), { tree, from, isCertain, isFresh }),
    ]);
    if (!commit.ok) return commit;
    if (!checkedOut.ok) return checkedOut;
    slot.tree = tree;
    return this.#showToGates(slot, tree);
  }

  /** Whether nothing has been touched since git looked; an answer from just now will do. */
  async #isAsMarked({ marks, looked }: Slot): Promise<boolean> {
    const isRecent = looked !== undefined && elapsedMs() - looked.atMs < RECENT_MS;
    return (await (isRecent ? looked.isSame : marks?.isSame())) ?? false;
  }

  /** Whether a checkout still holds its tree, as git sees it. */
  async #isUntouched(slot: Slot, signal?: AbortSignal): Promise<boolean> {
    const place = this.#place(slot, signal);
    const shown = SHOWN.map((file) => join(this.#trees, slot.name, ".git", file));
    slot.marks = undefined;
    const paths = await filesToMark(place);
    const marks = paths && (await this.#statCache.mark(slot.name, [...paths, ...shown])); // before git looks: what is changed meanwhile shows later
    if (slot.tree === undefined || !(await holds(place, slot.tree))) return false;
    slot.marks = marks?.isSettled(this.#file(slot.name, "clock")) ? marks : undefined;
    return true;
  }

  /** A repository for gates that ask git, with HEAD at the tree and its objects where ours are. */
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

/** How long the look at a checkout after its last job speaks for it: everything that job started has ended by then. */
const RECENT_MS = 1_000;

/** After this, all but the coarsest file systems give a change another time than what was there before. */
const SETTLED_MS = 60;

/** A job that comes meanwhile has to wait. */
const IDLE_LOOK_MS = 30_000;

/** What a checkout's own repository is made of. */
const SHOWN = ["objects/info/alternates", "shallow", "index", "HEAD"];

/** Most gates leave it alone. */
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
