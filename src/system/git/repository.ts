import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { once } from "../../once.ts";
import { readText } from "../files/files.ts";
import { isBelow } from "../files/find-project.ts";
import { homeDirectory } from "../files/xdg.ts";
import { fail, ok, type Result, type Trouble } from "../../trouble.ts";
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

  /** Undefined outside of a repository; trouble where git looks at another work tree: whatever it says would be about that. */
  static async find(git: Git): Promise<Result<Repository | undefined>> {
    const places = await findPlaces(git);
    if (places === undefined) return ok(undefined);
    return contains(places.top, git.cwd)
      ? ok(new Repository(git, places))
      : fail(otherWorkTree(git.cwd, places));
  }

  /** The same for who can do without. */
  static async around(git: Git): Promise<Repository | undefined> {
    const found = await Repository.find(git);
    return found.ok ? found.value : undefined;
  }

  async #findSubmodules(): Promise<Result<readonly Submodule[]>> {
    if (!this.marks().mayHoldSubmodule) return ok([]);
    const { top } = this;
    const listed = await top.output(["ls-files", "-z", "--stage"]);
    if (!listed.ok) return listed;
    const names = splitNul(listed.value)
      .filter((entry) => entry.startsWith("160000 "))
      .map((entry) => entry.slice(entry.indexOf("\t") + 1));
    const looks = await Promise.all(
      [...new Set(names)].map(async (name) => ({
        name,
        found: await Repository.find(top.at(join(top.cwd, name))),
      })),
    );
    const submodules: Submodule[] = [];
    for (const { name, found } of looks) {
      if (!found.ok) return found;
      const { value: inside } = found;
      if (inside !== undefined && inside.places.top !== top.cwd) submodules.push({ name, inside });
    }
    return ok(submodules);
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

  /** Making links takes a privilege on Windows. */
  #namesFilter(marks: () => IndexMarks): boolean {
    return process.platform !== "win32" && this.#areAttributes(/filter/i, marks);
  }

  /**
   * Whether git may keep something else of a file than its bytes: the few files that tell hold a word for it, or name others. On
   * Windows it is set up to do so.
   */
  mayConvert(marks: () => IndexMarks): boolean {
    const { commonDir, gitDir } = this.places;
    const { home, user } = userPlaces();
    const configs = [
      join(commonDir, "config"),
      join(gitDir, "config.worktree"),
      join(home, ".gitconfig"),
      join(user, "config"),
      ...SYSTEM_PLACES.map((place) => join(place, "gitconfig")),
    ];
    return (
      process.platform === "win32" ||
      Object.keys(process.env).some((name) => /^GIT_CONFIG_(?!NOSYSTEM)/.test(name)) ||
      this.#areAttributes(CONVERSION, marks) ||
      SYSTEM_PLACES.some((place) => holds(join(place, "gitattributes"), CONVERSION)) ||
      configs.some((path) => holds(path, CONVERTING_SETTING))
    );
  }

  /**
   * Whether attributes say something, as far as a few files tell: those that git tracks, the one at the top, the repository's and
   * the user's own.
   */
  #areAttributes(word: RegExp, marks: () => IndexMarks): boolean {
    const { top, commonDir } = this.places;
    const { attributes } = marks();
    if (attributes === "unknown") return true;
    const { home, user } = userPlaces();
    const others = [
      join(top, ".gitattributes"),
      join(commonDir, "info/attributes"),
      join(user, "attributes"),
    ];
    const { namesAttributes = holds(join(commonDir, "config"), ATTRIBUTES_FILE) } = this.places;
    const configs = [join(home, ".gitconfig"), join(user, "config")];
    return (
      namesAttributes === true || // another one, which may be anywhere
      attributes.some((name) => holds(join(top, name), word) ?? true) || // git has what is gone from the work tree
      others.some((path) => holds(path, word)) ||
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

/** The settings may name a directory that does not exist. */
function contains(top: string, path: string): boolean {
  return top === path || (existsSync(top) && isBelow(path, realpathSync.native(top)));
}

/** With `core.worktree` git looks at another directory than the one that is asked about. */
function otherWorkTree(path: string, { top }: GitPlaces): Trouble {
  const detail = `git looks at the work tree ${top}, which does not contain ${path} (core.worktree)`;
  return { kind: "git-failed", command: "git rev-parse --show-toplevel", detail };
}

function userPlaces(): { readonly home: string; readonly user: string } {
  const home = homeDirectory(process.env);
  return { home, user: join(process.env["XDG_CONFIG_HOME"] || join(home, ".config"), "git") };
}

/** Where distributions, Homebrew and a build of one's own have the system's files. */
const SYSTEM_PLACES = ["/etc", "/usr/local/etc", "/opt/homebrew/etc"];

const ATTRIBUTES_FILE = /attributesfile/i;
/** As an attribute that is set: `-text` and `!text` convert nothing. */
const CONVERSION = /(?<![-!\w])(?:text|crlf|eol|ident|working-tree-encoding|filter)\b/i;
const CONVERTING_SETTING = /autocrlf|attributesfile|^\s*\[include/im;

/** Undefined where there is no file. */
function holds(path: string, word: RegExp): boolean | undefined {
  if (!existsSync(path)) return undefined;
  const text = readText(path);
  return !text.ok || word.test(text.value);
}
