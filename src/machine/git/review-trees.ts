import { readdir, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { ChangeSet } from "../../core/plan/change-set.ts";
import type { Git } from "./git.ts";
import { Repository } from "./repository.ts";
import { type Fingerprint, keepSnapshot } from "./snapshot.ts";
import { ok, type Result } from "../../core/trouble.ts";

/** The work trees that reviewers have seen, kept below the log directory so that a later round can see what changed since. */
export class ReviewTrees {
  readonly #git: Git;
  readonly #dir: string;
  #current: Promise<Fingerprint> | undefined;

  constructor(git: Git, logDir: string) {
    this.#git = git;
    this.#dir = join(logDir, ".state", "reviews", "trees");
  }

  /** A picture of the work tree, taken once: everyone who asks sees the same. */
  current(): Promise<Fingerprint> {
    this.#current ??= this.#take();
    return this.#current;
  }

  async #take(): Promise<Fingerprint> {
    const repository = await Repository.around(this.#git);
    return keepSnapshot(repository, this.#dir);
  }

  /** The patch of the run's change up to a kept tree. */
  async changeUpTo(tree: string, changes: ChangeSet): Promise<Result<string>> {
    const target = changes.commit ?? tree;
    return this.#diff(await this.#baseOf(changes), target, [tree]);
  }

  /** The patch from one kept tree to another. */
  between(from: string, to: string): Promise<Result<string>> {
    return this.#diff(from, to, [from, to]);
  }

  /** Lets go of every tree that no slot refers to, and of what killed runs left. */
  async forgetAllBut(trees: readonly string[]): Promise<void> {
    const names = await readdir(this.#dir).catch(() => []);
    const doomed = names.filter((name) => !trees.includes(name));
    await Promise.all(doomed.map((name) => rm(join(this.#dir, name), { recursive: true, force: true })));
  }

  async #diff(from: string, to: string, kept: readonly string[]): Promise<Result<string>> {
    const alternates = kept.map((tree) => JSON.stringify(join(this.#dir, tree))).join(delimiter);
    const output = await this.#git.output(["diff", ...DIFF_OPTIONS, from, to, "--", "."], {
      env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates },
    });
    return output.ok ? ok(output.value.subarray(0, MAX_PATCH_BYTES).toString("utf8")) : output;
  }

  /** The first commit of all is compared with nothing. */
  async #baseOf({ baseCommit, commit }: ChangeSet): Promise<string> {
    for (const revision of [baseCommit, commit === undefined ? "HEAD" : undefined]) {
      if (revision !== undefined && (await this.#exists(revision))) return revision;
    }
    const empty = await this.#git.output(["hash-object", "-t", "tree", "--stdin"]);
    return empty.ok ? empty.value.toString().trim() : "HEAD";
  }

  async #exists(revision: string): Promise<boolean> {
    const known = await this.#git.ask(["rev-parse", "--verify", "--quiet", "--end-of-options", revision]);
    return known.ok && known.value.exitCode === 0;
  }
}

/** Far more than any reviewer is shown, and still a string that fits. */
const MAX_PATCH_BYTES = 64 * 1024 * 1024;

/** The user's own diff settings must not change what we read. */
export const DIFF_OPTIONS = [
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--find-renames",
  "--relative",
  "--unified=5",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--submodule=short",
];
