import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { once } from "../../core/once.ts";
import type { AbsolutePath, ProjectPath } from "../../core/path.ts";
import { fail, ok, type Result, type Trouble } from "../../core/trouble.ts";
import { isFile } from "../files/files.ts";
import type { Environment } from "../process/environment.ts";
import type { ChangeQuery } from "./compare/base.ts";
import type { DetectedChanges } from "./changes.ts";
import { Git, splitNul } from "./git.ts";
import { compareHeadQuickly, type HeadComparison } from "./compare/head-comparison.ts";
import { namesBelow } from "./index-file.ts";
import { chooseBase, compareWithChosen } from "./compare/known-good.ts";
import type { WorkTreeStatus } from "./read-output.ts";
import type { Head } from "./compare/ref-state.ts";
import { Repository } from "./repository.ts";
import type { Snapshot } from "./snapshot.ts";
import { isUnchangedSince } from "./unchanged.ts";

/** How to look at a work tree: for whom, compared with what, and for how long. */
export interface WorkTreeOptions {
  readonly query: ChangeQuery;
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
}

/** Enough to tell ours from others'. */
const MOST_NAMED = 100;

/** A project's work tree as one run sees it. Everything is looked at when it is first asked for, and once. */
export class WorkTree implements AsyncDisposable {
  readonly root: AbsolutePath;
  readonly git: Git;
  readonly #repository: Repository | undefined;
  readonly #options: WorkTreeOptions;
  #snapshot: Promise<Snapshot> | undefined;

  private constructor(git: Git, repository: Repository | undefined, options: WorkTreeOptions) {
    this.root = options.query.root;
    this.git = git;
    this.#repository = repository;
    this.#options = options;
  }

  static async open(options: WorkTreeOptions): Promise<WorkTree> {
    const git = new Git(options.query.root, options.signal);
    return new WorkTree(git, await Repository.around(git), options);
  }

  /** Another look at the same work tree, for when it was changed on purpose. */
  again(): Promise<WorkTree> {
    return WorkTree.open(this.#options);
  }

  /** Has git start looking, so that the caller can load code meanwhile. Whoever asks later gets what it found, or why it could not. */
  async startLooking(): Promise<void> {
    this.changes().catch(() => {});
    this.snapshot().catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** What changed, and relative to what. */
  readonly changes = once(async (): Promise<Result<DetectedChanges>> => {
    const { query } = this.#options;
    const repository = this.#repository;
    const { changesIn, changesWithoutGit } = await import("./changes.ts"); // a stop that needs no run loads half as much
    if (repository === undefined) return changesWithoutGit(this.git, query);
    const { top } = repository.places;
    if (!isInside(query.root, top)) return fail(elsewhere(query.root, top));
    const named = this.#options.env["GIT_INDEX_FILE"];
    const index = query.staged && named ? resolve(top, named) : undefined;
    const look = repository.look.bind(repository);
    const looks = { status: this.#status, comparison: this.#comparison, index, look };
    const detected = await changesIn(this.git, query, looks);
    if (detected.ok) return detected;
    const withoutGit = await changesWithoutGit(this.git, query); // it looked like a repository, but git has the last word
    return withoutGit.ok ? withoutGit : detected;
  });

  /** Some files below a directory of the project that git tracks, or would track: from the top, to be named. */
  async filesBelow(directory: ProjectPath, which: "tracked" | "untracked"): Promise<readonly string[]> {
    if (this.#repository === undefined) return [];
    const { prefix, index } = this.#repository.places;
    const known = which === "tracked" ? namesBelow(index, `${prefix}${directory}`, MOST_NAMED) : undefined;
    if (known !== undefined) return known;
    const options = which === "tracked" ? ["--cached"] : ["--others", "--exclude-standard"];
    const list = ["--literal-pathspecs", "ls-files", "-z", "--full-name", ...options, "--", directory];
    const listed = await this.git.output(list);
    return listed.ok ? splitNul(listed.value).slice(0, MOST_NAMED) : [];
  }

  /** The files of the project with one of these names, in any directory; none outside git. */
  async listNamed(names: readonly string[]): Promise<readonly string[]> {
    if (this.#repository === undefined) return [];
    const patterns = names.map((name) => `:(glob)**/${name}`);
    const listed = await this.git.output([
      "ls-files",
      "-z",
      "--cached",
      "--others",
      "--exclude-standard",
      "--deduplicate",
      "--",
      ...patterns,
    ]);
    return listed.ok ? splitNul(listed.value) : [];
  }

  /** Where HEAD is, as far as files say: no process is worth it. */
  head(): Head {
    return this.#repository?.head() ?? {};
  }

  /** The commit that changes are measured from, where there is one. */
  async baseCommit(): Promise<string | undefined> {
    const measured = await this.#measured();
    if (!measured?.ok) return undefined;
    const { compared, chosen } = measured.value;
    if (chosen?.kind === "session-start") return chosen.commit;
    return chosen?.kind === "pass" ? undefined : compared.base.mergeBase;
  }

  /** What HEAD is compared with, and what was committed since; outside git, nothing. */
  readonly #comparison = once(async (): Promise<Result<HeadComparison>> => {
    const measured = await this.#measured();
    if (measured === undefined || this.#repository === undefined)
      return ok({ base: { description: "nothing", notes: [] }, committed: [] });
    if (!measured.ok) return measured;
    const { compared, chosen } = measured.value;
    return chosen === undefined ? ok(compared) : compareWithChosen(this.#repository, compared, chosen);
  });

  /** The comparison with the base and, where that hides commits, what to compare with instead. */
  readonly #measured = once(async () => {
    const { env } = this.#options;
    const { known, ...query } = this.#options.query;
    const repository = this.#repository;
    if (repository === undefined) return undefined;
    const compared = await compareHeadQuickly(repository, query, env);
    if (!compared.ok) return compared;
    const mayHide = compared.value.committed.length === 0 && known !== undefined;
    const chosen = mayHide ? await chooseBase(repository, compared.value.base, known) : undefined;
    return ok({ compared: compared.value, chosen });
  });

  /** Every file as it is now, in an index and objects of our own. */
  snapshot(): Promise<Snapshot> {
    this.#snapshot ??= this.#takeSnapshot();
    return this.#snapshot;
  }

  async #takeSnapshot(): Promise<Snapshot> {
    const { takeSnapshot } = await import("./snapshot.ts"); // as above
    return takeSnapshot(this.#repository, { untracked: () => this.#untracked() });
  }

  /** The content of the whole work tree as one id; undefined if unknown. */
  async fingerprint(): Promise<string | undefined> {
    const tree = await (await this.snapshot()).fingerprint();
    return tree.kind === "tree" ? tree.hash : undefined;
  }

  /** Whether it is what it was when this index of a snapshot was kept. */
  async isUnchangedSince(index: string): Promise<boolean> {
    return this.#repository !== undefined && (await isUnchangedSince(this.#repository, index));
  }

  /** Whether something that git reads at every look is a pipe or a device: it would wait there without end. */
  mayHoldGit(): boolean {
    if (this.#repository === undefined) return false;
    const { top, gitDir, commonDir, index } = this.#repository.places;
    const read = [join(gitDir, "HEAD"), index, join(top, ".gitignore"), join(commonDir, "info/exclude")];
    return read.some((path) => existsSync(path) && !isFile(path));
  }

  /** Removes the snapshot at the end of a scope that can end before the work tree's own. */
  snapshotScope(): AsyncDisposable {
    return { [Symbol.asyncDispose]: () => this[Symbol.asyncDispose]() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const snapshot = await this.#snapshot;
    this.#snapshot = undefined;
    await snapshot?.[Symbol.asyncDispose]();
  }

  readonly #status = once(async (): Promise<Result<WorkTreeStatus>> => {
    const repository = this.#repository;
    if (repository === undefined) throw new Error("there is no repository to ask"); // callers have looked
    const { workTreeStatus } = await import("./changes.ts"); // as above
    return workTreeStatus(repository);
  });

  /** From the top. `git status` has listed them where the project is the top. */
  async #untracked(): Promise<readonly string[] | undefined> {
    const { commit } = this.#options.query;
    if (this.#repository?.places.prefix !== "" || commit !== undefined) {
      const { listUntracked } = await import("./snapshot.ts"); // as above
      return listUntracked(this.#repository);
    }
    const status = await this.#status();
    if (!status.ok) return undefined;
    return status.value.files.filter(({ change }) => change === "untracked").map(({ path }) => path);
  }
}

function isInside(path: string, directory: string): boolean {
  const way = relative(realpathSync(directory), realpathSync(path));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** With `core.worktree` git looks at another directory than the one whose gates are asked about. */
function elsewhere(root: string, top: string): Trouble {
  const detail = `git looks at the work tree ${top}, which does not contain ${root} (core.worktree)`;
  return { kind: "git-failed", command: "git rev-parse --show-toplevel", detail };
}
