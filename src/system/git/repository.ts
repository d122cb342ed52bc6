import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { once } from "../../once.ts";
import { readIfFile, readText } from "../files/files.ts";
import { isBelow } from "../files/find-project.ts";
import { gitUserPlaces } from "../files/xdg.ts";
import { fail, ok, type Result, type Trouble } from "../../trouble.ts";
import { type Git, splitNul } from "./git.ts";
import { type IndexMarks, readIndexMarks } from "./index-file.ts";
import { loadQuestions } from "./load-questions.ts";
import { findPlaces, type GitPlaces } from "./places.ts";
import { type Head, readHead } from "./compare/ref-state.ts";
import type { GitSettings } from "./scratch-git-dir.ts";
import { makeScratch, removeScratch, sweepScratch } from "../files/owned-scratch.ts";

interface Submodule {
  readonly name: string;
  readonly inside: Repository;
}

type Env = Readonly<Record<string, string>>;

/** The repository around a project, as one run sees it: everything is looked up once. */
export class Repository {
  readonly git: Git;
  readonly top: Git;
  readonly places: GitPlaces;
  readonly marks: () => IndexMarks;
  readonly head: () => Head;
  readonly #refs = new Map<string, string | undefined>();
  #mayFilter: boolean | undefined;

  readonly #filterSettings = once(async (): Promise<GitSettings | undefined> => {
    const { settingsWithFilters } = await loadQuestions();
    return settingsWithFilters(this.top);
  });

  readonly readRef = (path: string): string | undefined => {
    if (!this.#refs.has(path)) this.#refs.set(path, readIfFile(path));
    return this.#refs.get(path);
  };

  readonly submodules = once((): Promise<Result<readonly Submodule[]>> => this.#findSubmodules());

  private constructor(git: Git, places: GitPlaces) {
    this.git = git;
    this.top = git.at(places.top);
    this.places = places;
    this.marks = once(() => readIndexMarks(places.index));
    this.head = once(() => readHead(places, this.readRef));
  }

  /** Undefined outside of a repository. Trouble if git looks at another work tree: its answers would be about that. */
  static async find(git: Git): Promise<Result<Repository | undefined>> {
    const places = await findPlaces(git);
    if (places === undefined) return ok(undefined);
    return contains(places.top, git.cwd)
      ? ok(new Repository(git, places))
      : fail(otherWorkTree(git.cwd, places));
  }

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

  async hasFilters(): Promise<boolean> {
    return this.#mayRunFilter(this.marks) && (await this.#filterSettings()) !== undefined;
  }

  /**
   * Asks git something that may run filters. Those get a git directory of ours: git-lfs stores every file that
   * it is shown in the directory it finds, so a stop would fill the user's `.git/lfs`. If no filter can run, it asks at once.
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

  async filterEnv(directory: string): Promise<Env> {
    const settings = this.#mayRunFilter(this.marks) ? await this.#filterSettings() : undefined;
    if (settings === undefined) return {};
    const { makeGitDir } = await loadQuestions();
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

  #namesFilter(marks: () => IndexMarks): boolean {
    return process.platform !== "win32" && this.#areAttributes(/filter/i, marks);
  }

  /**
   * Whether git may store something else than a file's bytes: the few files that decide it mention a conversion, or name other
   * files. Git for Windows is set up to convert.
   */
  mayConvert(marks: () => IndexMarks): boolean {
    const { commonDir, gitDir } = this.places;
    const { home, user } = gitUserPlaces(process.env);
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

  #areAttributes(word: RegExp, marks: () => IndexMarks): boolean {
    const { top, commonDir } = this.places;
    const { attributes } = marks();
    if (attributes === "unknown") return true;
    const { home, user } = gitUserPlaces(process.env);
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

  /** Makes git use an index and objects in a directory of ours, on top of the repository's objects. */
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

function contains(top: string, path: string): boolean {
  return top === path || (existsSync(top) && isBelow(path, realpathSync.native(top)));
}

function otherWorkTree(path: string, { top }: GitPlaces): Trouble {
  const detail = `git looks at the work tree ${top}, which does not contain ${path} (core.worktree)`;
  return { kind: "git-failed", command: "git rev-parse --show-toplevel", detail };
}

const SYSTEM_PLACES = ["/etc", "/usr/local/etc", "/opt/homebrew/etc"];

const ATTRIBUTES_FILE = /attributesfile/i;
/** As an attribute that is set: `-text` and `!text` convert nothing. */
const CONVERSION = /(?<![-!\w])(?:text|crlf|eol|ident|working-tree-encoding|filter)\b/i;
const CONVERTING_SETTING = /autocrlf|attributesfile|^\s*\[include/im;

function holds(path: string, word: RegExp): boolean | undefined {
  if (!existsSync(path)) return undefined;
  const text = readText(path);
  return !text.ok || word.test(text.value);
}
