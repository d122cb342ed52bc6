import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { once } from "../../once.ts";
import type { Movement, Touched } from "../../run/movement.ts";
import { ok } from "../../trouble.ts";
import { hasCode } from "../files/errno.ts";
import { factsOf } from "../files/files.ts";
import {
  areNone,
  filteredSubmodules,
  findHiddenIn,
  submodulesWithHiddenChanges,
} from "./assume-unchanged.ts";
import { entryCount } from "./index-entries.ts";
import { readIndex } from "./index-file.ts";
import { IndexedFiles } from "./indexed-files.ts";
import type { Repository } from "./repository.ts";
import { type IndexEnv, namesOf, TOUCHED } from "./kept-index.ts";
import { MAX_TOUCHED, MODIFIED, NEW } from "./unchanged.ts";

/** What is written in a work tree after its index was. It is asked repeatedly, because a file tells only its last write. */
export class Movements {
  readonly #repository: Repository;
  readonly #env: IndexEnv;
  readonly #seen = new Map<string, string>();
  #directories: string | undefined;

  constructor(repository: Repository, env: IndexEnv) {
    this.#repository = repository;
    this.#env = env;
  }

  /** What was written since the last call. New files count only while no gate runs: gates make and remove files. */
  async look({ isQuiet }: { readonly isQuiet: boolean }): Promise<readonly Touched[]> {
    const [touched = [], added] = await Promise.all([this.#touched(), isQuiet ? this.#addedMeanwhile() : []]);
    const fresh = this.#fresh([...touched, ...added]);
    if (fresh.length === 0) return [];
    const changed = await this.#changed(fresh.map(({ path }) => path));
    for (const path of added) changed.add(path);
    return fresh.map((one) => ({ ...one, isChanged: changed.has(one.path) }));
  }

  async movement(): Promise<Movement> {
    const { top } = this.#repository;
    const filtered = await this.#filteredSubmodules();
    const [named, added, hidden, inside] = await Promise.all([
      this.#touched(),
      namesOf(top, NEW, this.#env),
      findHiddenIn(top, this.#env),
      filtered.length === 0 ? ok([]) : submodulesWithHiddenChanges(this.#repository),
    ]);
    const isStill = hidden.ok && areNone(hidden.value) && inside.ok && inside.value.length === 0;
    const isKnown = named !== undefined && added !== undefined && isStill;
    if (!isKnown) return { isCurrent: false, touched: [] }; // a gate has cleared the temporary directory, or git is gone
    const fresh = this.#fresh([...named, ...added]);
    const changed = await this.#changed([...new Set([...named, ...fresh.map(({ path }) => path)])]);
    for (const path of added) changed.add(path);
    return {
      isCurrent: named.length <= MAX_TOUCHED && changed.size === 0,
      touched: fresh.map((one) => ({ ...one, isChanged: changed.has(one.path) })),
    };
  }

  readonly #files = once((): IndexedFiles | undefined => {
    const path = this.#env.GIT_INDEX_FILE;
    const index = readIndex(path);
    if (index === undefined || entryCount(index) > MOST_FILES) return undefined;
    return IndexedFiles.of(index, {
      top: this.#repository.top.cwd,
      writtenAt: factsOf(path)?.mtimeMs ?? 0,
    });
  });

  readonly #filteredSubmodules = once(() => filteredSubmodules(this.#repository));

  async #touched(): Promise<readonly string[] | undefined> {
    const { top } = this.#repository;
    const seen = this.#files()?.touched() ?? { names: [], isAll: false };
    if (seen.isAll) return seen.names;
    const filtered = await this.#filteredSubmodules();
    const touch = filtered.length === 0 ? TOUCHED : [...TOUCHED, "--ignore-submodules=dirty"];
    const named = await namesOf(top, touch, this.#env);
    return named && [...new Set([...named, ...seen.names])];
  }

  async #addedMeanwhile(): Promise<readonly string[]> {
    const { top } = this.#repository;
    const directories = this.#files()?.directoryTimes();
    if (directories !== undefined && directories === this.#directories) return [];
    this.#directories = directories;
    return (await namesOf(top, NEW, this.#env)) ?? [];
  }

  #fresh(paths: readonly string[]): readonly Omit<Touched, "isChanged">[] {
    const { top } = this.#repository;
    return [...new Set([...paths, ...this.#seen.keys()])].flatMap((path) => {
      const { state, ...when } = lookAt(top.cwd, path);
      if (this.#seen.get(path) === state) return [];
      this.#seen.set(path, state);
      return [{ path, ...when }];
    });
  }

  /** Files whose content differs from the index. A gate that writes thousands is known by the first of them. */
  async #changed(paths: readonly string[]): Promise<Set<string>> {
    if (paths.length === 0) return new Set();
    const some = paths.slice(0, MAX_TOUCHED);
    const args = ["--literal-pathspecs", "ls-files", "-z", ...MODIFIED, "--", ...some];
    const { top } = this.#repository;
    const named = (await namesOf(top, args, this.#env)) ?? [];
    return new Set([...named, ...(this.#files()?.resized(some) ?? [])]);
  }
}

const MOST_FILES = 5_000;

/** When a file last changed. A removed file changed its directory; later changes of the directory are not its own. */
function lookAt(top: string, path: string): { readonly state: string; readonly at?: number } {
  for (let place = join(top, path); place.length >= top.length; place = dirname(place)) {
    try {
      const { ctimeNs } = lstatSync(place, { bigint: true });
      const isGone = place !== join(top, path);
      return { state: isGone ? "gone" : String(ctimeNs), at: Number(ctimeNs) / 1e6 };
    } catch (error) {
      if (!hasCode(error)) throw error;
    }
  }
  return { state: "gone" };
}
