import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { elapsedMs } from "../clock.ts";
import { hasCode } from "./errno.ts";
import { projectFiles } from "./list-files.ts";

/** Editors write a file in several steps, and git a whole checkout. */
const QUIET_MS = 150;
/** A file that is always being written must not delay forever. */
const LONGEST_WAIT_MS = 1000;
const POLL_MS = 2000;

interface WatchedFiles {
  readonly root: string;
  readonly without: string;
  readonly onSettled: (files: readonly string[]) => void;
  readonly quietMs?: number | undefined;
}

/**
 * Watches the directories of files that git does not ignore, one by one: on Linux a recursive watch opens every file below,
 * `node_modules` and `.git` included.
 */
export class FileWatch implements Disposable {
  readonly #watched: WatchedFiles;
  readonly #directories = new Map<string, FSWatcher>();
  readonly #named = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #firstAt: number | undefined;
  #isOver = false;

  constructor(watched: WatchedFiles) {
    this.#watched = watched;
  }

  get isPolling(): boolean {
    return this.#poll !== undefined;
  }

  async refresh(): Promise<ReadonlySet<string>> {
    const { root, without } = this.#watched;
    const files = (await projectFiles(root)).filter((file) => !file.startsWith(`${without}/`));
    const wanted = new Set([".", ...files.flatMap(directoriesAbove)]);
    for (const [directory, watcher] of this.#directories)
      if (!wanted.has(directory)) this.#forget(directory, watcher);
    for (const directory of wanted) if (!this.#directories.has(directory)) this.#watch(directory);
    return new Set(files);
  }

  #watch(directory: string): void {
    if (this.isPolling || this.#isOver) return; // a look may still be under way at the end, and a watch would keep the process
    try {
      const watcher = watch(join(this.#watched.root, directory), { persistent: true });
      watcher.on("change", (_, name) =>
        this.#note(name === null ? directory : join(directory, String(name))),
      );
      watcher.on("error", () => this.#forget(directory, watcher)); // the directory is gone
      this.#directories.set(directory, watcher);
    } catch (error) {
      if (isLimit(error)) this.#pollInstead(); // anything else: it is gone already
    }
  }

  #pollInstead(): void {
    for (const [directory, watcher] of this.#directories) this.#forget(directory, watcher);
    this.#poll = setInterval(() => this.#watched.onSettled([]), POLL_MS);
  }

  #forget(directory: string, watcher: FSWatcher): void {
    watcher.close();
    this.#directories.delete(directory);
  }

  #note(file: string): void {
    this.#named.add(file);
    this.#firstAt ??= elapsedMs();
    clearTimeout(this.#timer);
    const longest = this.#firstAt + LONGEST_WAIT_MS - elapsedMs();
    this.#timer = setTimeout(
      () => this.#settle(),
      Math.max(0, Math.min(this.#watched.quietMs ?? QUIET_MS, longest)),
    );
  }

  #settle(): void {
    const named = [...this.#named];
    this.#named.clear();
    this.#firstAt = undefined;
    this.#watched.onSettled(named);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearInterval(this.#poll);
    for (const [directory, watcher] of this.#directories) this.#forget(directory, watcher);
  }
}

function directoriesAbove(file: string): readonly string[] {
  const names = file.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** Of watches (`fs.inotify.max_user_watches`) or open files. */
function isLimit(error: unknown): boolean {
  return hasCode(error, "ENOSPC") || hasCode(error, "EMFILE") || hasCode(error, "ENFILE");
}
