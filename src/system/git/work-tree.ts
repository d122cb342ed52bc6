import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { once } from "../../once.ts";
import { type AbsolutePath, type ProjectPath, projectPath } from "../../path.ts";
import type { ChangedFile } from "./change-set.ts";
import { fail, ok, type Result, type Trouble } from "../../trouble.ts";
import { isFile } from "../files/files.ts";
import type { Environment } from "../process/environment.ts";
import type { ChangeQuery } from "./compare/base.ts";
import type { DetectedChanges } from "./changes.ts";
import { Git, splitNul } from "./git.ts";
import { rewrittenSince } from "./kept-index.ts";
import { loadQuestions } from "./load-questions.ts";
import { compareHeadQuickly, type HeadComparison } from "./compare/head-comparison.ts";
import { type PassIndex, namesBelow } from "./index-file.ts";
import { chooseBase, compareWithChosen } from "./compare/fallback-base.ts";
import type { WorkTreeStatus } from "./read-output.ts";
import type { Head } from "./compare/ref-state.ts";
import { listIgnoreFiles } from "./own-ignores.ts";
import { Repository } from "./repository.ts";
import type { Snapshot } from "./snapshot.ts";
import { isUnchangedSince } from "./unchanged.ts";

export interface WorkTreeOptions {
  readonly query: ChangeQuery;
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
}

const MOST_NAMED = 100;

/** A project's work tree, as one run sees it. Everything is asked for once, when it is first needed. */
export class WorkTree implements AsyncDisposable {
  readonly root: AbsolutePath;
  readonly git: Git;
  readonly #repository: Repository | undefined;
  readonly #trouble: Trouble | undefined;
  readonly #options: WorkTreeOptions;
  #snapshot: Promise<Snapshot> | undefined;

  private constructor(git: Git, found: Result<Repository | undefined>, options: WorkTreeOptions) {
    this.root = options.query.root;
    this.git = git;
    this.#repository = found.ok ? found.value : undefined;
    this.#trouble = found.ok ? undefined : found.trouble;
    this.#options = options;
  }

  static async open(options: WorkTreeOptions): Promise<WorkTree> {
    const git = new Git(options.query.root, options.signal);
    return new WorkTree(git, await Repository.find(git), options);
  }

  again(): Promise<WorkTree> {
    return WorkTree.open(this.#options);
  }

  /** Starts git; the caller loads code while git works. Whoever asks later gets the same answer. */
  async startLooking(): Promise<void> {
    this.changes().catch(() => {});
    this.snapshot().catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
  }

  readonly changes = once(async (): Promise<Result<DetectedChanges>> => {
    const { query } = this.#options;
    const repository = this.#repository;
    if (this.#trouble !== undefined) return fail(this.#trouble);
    const { changesIn, changesWithoutGit } = await loadQuestions();
    if (repository === undefined) return changesWithoutGit(this.git, query);
    const { top } = repository.places;
    const named = this.#options.env["GIT_INDEX_FILE"];
    const index = query.staged && named ? resolve(top, named) : undefined;
    const look = repository.look.bind(repository);
    const looks = { status: this.#status, comparison: this.#comparison, index, look };
    const [detected, rewritten] = await Promise.all([
      changesIn(this.git, query, looks),
      query.commit === undefined && !query.staged ? this.#rewritten(repository) : ok([]),
    ]);
    if (detected.ok) return rewritten.ok ? ok(withRewritten(detected.value, rewritten.value)) : rewritten;
    const withoutGit = await changesWithoutGit(this.git, query); // it looked like a repository, but git has the last word
    return withoutGit.ok ? withoutGit : detected;
  });

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

  /** The `.gitignore` files that are not in git's index. Asked for after the gates: tools leave some in their caches. */
  readonly ignoreFiles = once(async (): Promise<readonly string[] | undefined> =>
    this.#repository === undefined ? undefined : listIgnoreFiles(this.#repository.top),
  );

  head(): Head {
    return this.#repository?.head() ?? {};
  }

  async baseCommit(): Promise<string | undefined> {
    const measured = await this.#measured();
    if (!measured?.ok) return undefined;
    const { compared, chosen } = measured.value;
    if (chosen?.kind === "session-start") return chosen.commit;
    return chosen?.kind === "pass" ? undefined : compared.base.mergeBase;
  }

  readonly #comparison = once(async (): Promise<Result<HeadComparison>> => {
    const measured = await this.#measured();
    if (measured === undefined || this.#repository === undefined)
      return ok({ base: { description: "nothing", notes: [] }, committed: [] });
    if (!measured.ok) return measured;
    const { compared, chosen } = measured.value;
    return chosen === undefined ? ok(compared) : compareWithChosen(this.#repository, compared, chosen);
  });

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

  /**
   * Files written since the last pass that git stores as before (line endings, filters): their gates must run, and no other
   * change would select them.
   */
  async #rewritten(repository: Repository): Promise<Result<readonly ProjectPath[]>> {
    const { known } = this.#options.query;
    if (known?.pass?.index === undefined) return ok([]);
    const indexNow = async (): Promise<string | undefined> => {
      const { directory } = await this.snapshot();
      return directory === undefined ? undefined : join(directory, "index");
    };
    const found = await rewrittenSince(repository, known.pass.index.path, indexNow);
    if (!found.ok) return found;
    const { prefix } = repository.places;
    const names = found.value.filter((name) => name.startsWith(prefix));
    return ok(names.map((name) => projectPath(name.slice(prefix.length))));
  }

  snapshot(): Promise<Snapshot> {
    this.#snapshot ??= this.#takeSnapshot();
    return this.#snapshot;
  }

  async #takeSnapshot(): Promise<Snapshot> {
    const { takeSnapshot } = await loadQuestions();
    return takeSnapshot(this.#repository, { untracked: () => this.#untracked() });
  }

  async fingerprint(): Promise<string | undefined> {
    const tree = await (await this.snapshot()).fingerprint();
    return tree.kind === "tree" ? tree.hash : undefined;
  }

  async state(): Promise<string | undefined> {
    return (await this.snapshot()).state();
  }

  async isUnchangedSince(index: PassIndex): Promise<boolean> {
    return this.#repository !== undefined && (await isUnchangedSince(this.#repository, index));
  }

  /** Whether a pipe or device lies where git reads: git would wait there forever. */
  mayHoldGit(): boolean {
    if (this.#repository === undefined) return false;
    const { top, gitDir, commonDir, index } = this.#repository.places;
    const read = [join(gitDir, "HEAD"), index, join(top, ".gitignore"), join(commonDir, "info/exclude")];
    return read.some((path) => existsSync(path) && !isFile(path));
  }

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
    const { workTreeStatus } = await loadQuestions();
    return workTreeStatus(repository);
  });

  /** `git status` has listed them if the project is the top. */
  async #untracked(): Promise<readonly string[] | undefined> {
    const { commit } = this.#options.query;
    if (this.#repository?.places.prefix !== "" || commit !== undefined) {
      const { listUntracked } = await loadQuestions();
      return listUntracked(this.#repository);
    }
    const status = await this.#status();
    if (!status.ok) return undefined;
    return status.value.files.filter(({ change }) => change === "untracked").map(({ path }) => path);
  }
}

function withRewritten(detected: DetectedChanges, rewritten: readonly ProjectPath[]): DetectedChanges {
  const { changes } = detected;
  const known = new Set(changes.files.map(({ path }) => path));
  const more = rewritten
    .filter((path) => !known.has(path))
    .map((path): ChangedFile => ({ path, change: "modified" }));
  return more.length === 0
    ? detected
    : { ...detected, changes: { ...changes, files: [...changes.files, ...more] } };
}
