import { existsSync } from "node:fs";
import { join } from "node:path";
import { once } from "../../core/once.ts";
import { readText } from "../files/files.ts";
import { homeDirectory } from "../files/xdg.ts";
import { ok, type Result } from "../../core/trouble.ts";
import { type Git, splitNul } from "./git.ts";
import { type IndexMarks, readIndexMarks } from "./index-file.ts";
import { findPlaces, type GitPlaces } from "./places.ts";
import { type Head, readHead, readIfFile } from "./compare/ref-state.ts";
import type { GitSettings } from "./scratch-git-dir.ts";
import { makeScratch, removeScratch, sweepScratch } from "../files/owned-scratch.ts";

interface Submodule {
  /** From the top. */
  readonly name: string;
  readonly inside: Repository;
}

type Env = Readonly<Record<string, string>>;

/** The repository around a project as one run sees it: where things are and what its index marks, each looked up once. */
export class Repository {
  /** In the project. */
  readonly git: Git;
  /** At the top of the work tree. */
  readonly top: Git;
  readonly places: GitPlaces;
  readonly marks: () => IndexMarks;
  /** Where HEAD is, as far as files say. */
  readonly head: () => Head;
  readonly #refs = new Map<string, string | undefined>();
  #mayFilter: boolean | undefined;

  /** Undefined where there are no filters after all. */
  readonly #filterSettings = once(async (): Promise<GitSettings | undefined> => {
    const { settingsWithFilters } = await import("./scratch-git-dir.ts"); // few repositories have filters
    return settingsWithFilters(this.top);
  });

  /** A file of HEAD's or of a ref, as it was when it was first asked for. */
  readonly readRef = (path: string): string | undefined => {
    if (!this.#refs.has(path)) this.#refs.set(path, readIfFile(path));
    return this.#refs.get(path);
  };

  /** Those that are checked out. */
  readonly submodules = once((): Promise<Result<readonly Submodule[]>> => this.#findSubmodules());

  private constructor(git: Git, places: GitPlaces) {
    this.git = git;
    this.top = git.at(places.top);
    this.places = places;
    this.marks = once(() => readIndexMarks(places.index));
    this.head = once(() => readHead(places, this.readRef));
  }

  static async around(git: Git): Promise<Repository | undefined> {
    const places = await findPlaces(git);
    return places === undefined ? undefined : new Repository(git, places);
  }

  async #findSubmodules(): Promise<Result<readonly Submodule[]>> {
    if (!this.marks().mayHoldSubmodule) return ok([]);
    const { top } = this;
    const listed = await top.output(["ls-files", "-z", "--stage"]);
    if (!listed.ok) return listed;
    const names = splitNul(listed.value)
      .filter((entry) => entry.startsWith("160000 "))
      .map((entry) => entry.slice(entry.indexOf("\t") + 1));
    const found = await Promise.all(
      [...new Set(names)].map(async (name) => ({
        name,
        inside: await Repository.around(top.at(join(top.cwd, name))),
      })),
    );
    return ok(
      found.flatMap(({ name, inside }) =>
        inside === undefined || inside.places.top === top.cwd ? [] : [{ name, inside }],
      ),
    );
  }

  /** Whether a look at the work tree may run a filter. */
  async hasFilters(): Promise<boolean> {
    return this.#mayRunFilter(this.marks) && (await this.#filterSettings()) !== undefined;
  }

  /**
   * Asks git something that may make it run filters, with an environment in which those find a directory of ours where they ask
   * for the repository's: git-lfs would keep every file there that it is shown. Where no filter can run, as it is
   * and at once: while git looks, the caller can do something else.
   */
  look<T>(ask: (env: Env) => Promise<T>, marks = this.marks): Promise<T> {
    return this.#mayRunFilter(marks) ? this.#lookThroughFilters(ask) : ask({});
  }

  async #lookThroughFilters<T>(ask: (env: Env) => Promise<T>): Promise<T> {
    if ((await this.#filterSettings()) === undefined) return ask({});
    const scratch = makeScratch();
    try {
      return await ask(await this.filterEnv(scratch));
    } finally {
      removeScratch(scratch);
      sweepScratch(); // a look that is killed leaves nothing else to be known by
    }
  }

  /** The same for a directory that is removed later: everything is in its `git`. */
  async filterEnv(directory: string): Promise<Env> {
    const settings = this.#mayRunFilter(this.marks) ? await this.#filterSettings() : undefined;
    if (settings === undefined) return {};
    const { makeGitDir } = await import("./scratch-git-dir.ts"); // as above
    const gitDir = join(directory, "git");
    await makeGitDir(this, settings, gitDir);
    const { top, index } = this.places;
    return {
      ...this.scratchEnv(directory),
      GIT_DIR: gitDir,
      GIT_WORK_TREE: top,
      GIT_INDEX_FILE: index,
    };
  }

  #mayRunFilter(marks: () => IndexMarks): boolean {
    this.#mayFilter ??= this.#namesFilter(marks);
    return this.#mayFilter;
  }

  /**
   * Whether attributes name a filter, as far as a few files tell: those that git tracks, the one at the top, the repository's and
   * the user's own. Making links takes a privilege on Windows.
   */
  #namesFilter(marks: () => IndexMarks): boolean {
    if (process.platform === "win32") return false;
    const { top, commonDir } = this.places;
    const { attributes } = marks();
    if (attributes === "unknown") return true;
    const home = homeDirectory(process.env);
    const user = join(process.env["XDG_CONFIG_HOME"] || join(home, ".config"), "git");
    const others = [
      join(top, ".gitattributes"),
      join(commonDir, "info/attributes"),
      join(user, "attributes"),
    ];
    const { namesAttributes = holds(join(commonDir, "config"), ATTRIBUTES_FILE) } = this.places;
    const configs = [join(home, ".gitconfig"), join(user, "config")];
    return (
      namesAttributes === true || // another one, which may be anywhere
      attributes.some((name) => holds(join(top, name), "filter") ?? true) || // git has what is gone from the work tree
      others.some((path) => holds(path, "filter")) ||
      configs.some((path) => holds(path, ATTRIBUTES_FILE))
    );
  }

  /** The environment that makes git use an index and objects in a directory of ours, with the repository's objects behind them. */
  scratchEnv(
    directory: string,
  ): Readonly<Record<"GIT_INDEX_FILE", string>> & Readonly<Record<string, string>> {
    return {
      GIT_INDEX_FILE: join(directory, "index"),
      GIT_OBJECT_DIRECTORY: directory,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(this.places.objects),
    };
  }
}

const ATTRIBUTES_FILE = "attributesfile";

/** Undefined where there is no file. */
function holds(path: string, word: string): boolean | undefined {
  if (!existsSync(path)) return undefined;
  const text = readText(path);
  return !text.ok || text.value.toLowerCase().includes(word);
}
