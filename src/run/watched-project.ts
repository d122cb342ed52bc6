import { join } from "node:path";
import { sha256 } from "#runtime";
import { inTurn } from "../in-turn.ts";
import { loadSettingsQuickly } from "../config/gauntlet/settings-cache.ts";
import { type AbsolutePath, displayPath, projectPath } from "../path.ts";
import { stampOf } from "../system/files/file-stamp.ts";
import { FileWatch } from "../system/files/watch-files.ts";
import { WorkTree } from "../system/git/work-tree.ts";
import type { Environment } from "../system/process/environment.ts";

interface Seen {
  /** The tree without ignored files; outside git, a hash of file stamps. */
  readonly content: string;
  readonly settings: string;
}

interface Watching {
  /** With the files that were written. */
  readonly onChange: (files: readonly string[]) => void;
  /** How long a file must be left alone before it is looked at. */
  readonly quietMs?: number;
}

const SETTINGS = [".gauntlet/config.yml", ".gauntlet/config.local.yml", ".validator/config.yml"];

/** Watches a project. Only changed content is a change, not a write. */
export class WatchedProject implements Disposable {
  readonly #root: AbsolutePath;
  readonly #env: Environment;
  readonly #logDir: string;
  readonly #watch: FileWatch;
  readonly #named = new Set<string>();
  #files: ReadonlySet<string> = new Set();
  #seen: Seen | undefined;
  /** One scan at a time: each takes a snapshot. */
  readonly #inTurn = inTurn();

  private constructor(root: AbsolutePath, env: Environment, given: Watching & { readonly logDir: string }) {
    this.#root = root;
    this.#env = env;
    this.#logDir = given.logDir;
    const onSettled = (files: readonly string[]): void => void this.#settled(files, given.onChange);
    this.#watch = new FileWatch({ root, without: given.logDir, onSettled, quietMs: given.quietMs });
  }

  static async open(root: AbsolutePath, env: Environment, watching: Watching): Promise<WatchedProject> {
    const loaded = await loadSettingsQuickly(root, env);
    const logDir = loaded.ok ? loaded.value.settings.logDir : "gauntlet_logs"; // a broken configuration is watched, too
    const watched = new WatchedProject(root, env, { ...watching, logDir });
    await watched.look();
    return watched;
  }

  get isPolling(): boolean {
    return this.#watch.isPolling;
  }

  /** Scans; only later differences count as changes. */
  look(): Promise<Seen> {
    return this.#inTurn(async () => (this.#seen = await this.#lookNow()));
  }

  /** Whether nothing changed; if something did, the new state counts as seen. */
  async isStill(before: Seen): Promise<boolean> {
    return isSame(await this.look(), before);
  }

  /** `src/a.ts and 2 more changed`, since the last call. */
  changedWords(): string {
    const [first, ...others] = [...this.#named].toSorted();
    this.#named.clear();
    if (first === undefined) return "Files changed";
    return `${displayPath(first)}${others.length === 0 ? "" : ` and ${others.length} more`} changed`;
  }

  async #settled(files: readonly string[], onChange: Watching["onChange"]): Promise<void> {
    for (const file of files) this.#named.add(file);
    const isChanged = await this.#inTurn(async () => {
      const now = await this.#lookNow();
      return this.#seen !== undefined && !isSame(now, this.#seen);
    });
    if (isChanged) onChange(files);
    else this.#named.clear(); // written, but not changed
  }

  async #lookNow(): Promise<Seen> {
    const files = await this.#watch.refresh();
    for (const file of this.#named) if (!files.has(file) && !this.#files.has(file)) this.#named.delete(file);
    this.#files = files;
    return { content: (await this.#tree()) ?? this.#stamps([...files]), settings: this.#stamps(SETTINGS) };
  }

  async #tree(): Promise<string | undefined> {
    const query = { root: this.#root, logDir: projectPath(this.#logDir), baseBranch: "" };
    await using tree = await WorkTree.open({ query, env: this.#env });
    return await tree.fingerprint();
  }

  #stamps(files: readonly string[]): string {
    return sha256(files.map((file) => `${file} ${stampOf(join(this.#root, file)).stamp}\n`).join(""));
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }
}

function isSame(one: Seen, other: Seen): boolean {
  return one.content === other.content && one.settings === other.settings;
}
