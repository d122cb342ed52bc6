import { join } from "node:path";
import { inTurn } from "../../../in-turn.ts";
import { fail, ok, type Result } from "../../../trouble.ts";
import { kindOf, removeTree } from "../../../system/files/files.ts";
import { Git, gitTrouble } from "../../../system/git/git.ts";

interface ObjectsOptions {
  readonly directory: string;
  readonly source: string;
}

/** The trees that a worker has fetched, each as a commit without history under `refs/gauntlet/<tree>`. */
export class TreeObjects {
  readonly #options: ObjectsOptions;
  /** Trees that are checked out, or about to be. */
  readonly #held: () => readonly (string | undefined)[];
  readonly #commits = new Map<string, Promise<Result<string>>>();
  /** Fetches and prunes run one at a time. */
  readonly #inTurn = inTurn();
  #fetches = 0;

  constructor(options: ObjectsOptions, held: () => readonly (string | undefined)[]) {
    this.#options = options;
    this.#held = held;
  }

  get path(): string {
    return join(this.#options.directory, "objects.git");
  }

  /** Git locks the list of shallow commits, and several jobs often want the same tree. */
  fetch(tree: string, signal: AbortSignal): Promise<Result<void>> {
    return this.#inTurn(() => this.#fetchNow(tree, signal));
  }

  /** Fails unless the fetched commit has exactly this tree. */
  async commitOf(tree: string): Promise<Result<string>> {
    return this.#commits.get(tree) ?? fail(gitTrouble(["rev-parse"], `${tree} was not fetched`));
  }

  /** Fetches wait for a prune, so a busy worker prunes later. */
  isWorthPruning(isIdle: boolean): boolean {
    return this.#fetches >= (isIdle ? MANY_FETCHES : 4 * MANY_FETCHES);
  }

  prune(): Promise<void> {
    return this.#inTurn(async () => {
      this.#fetches = 0;
      const git = new Git(this.#options.directory);
      const listed = await git.output([...this.#here, "for-each-ref", "--format=%(refname)", PLACE]);
      if (!listed.ok) return;
      const kept = new Set([...this.#held(), ...[...this.#commits.keys()].slice(-KEPT_COMMITS)]);
      const trees = listed.value
        .toString()
        .split("\n")
        .filter(Boolean)
        .map((ref) => ref.slice(PLACE.length));
      const old = trees.filter((tree) => !kept.has(tree));
      for (const tree of old) this.#commits.delete(tree);
      const stdin = old.map((tree) => `delete ${PLACE}${tree}\n`).join("");
      await git.output([...this.#here, "update-ref", "--stdin"], { stdin });
      await git.output([...this.#here, "gc", "--quiet", "--prune=now"]);
    });
  }

  remove(): void {
    removeTree(this.path);
    this.#commits.clear();
  }

  get #here(): readonly string[] {
    return ["--git-dir", this.path];
  }

  async #fetchNow(tree: string, signal: AbortSignal): Promise<Result<void>> {
    if (this.#commits.has(tree)) return ok(undefined);
    const git = new Git(this.#options.directory, signal);
    if (kindOf(join(this.path, "HEAD")) !== "file") {
      const made = await git.output(["init", "--quiet", "--bare", this.path]);
      if (!made.ok) return made;
    }
    const ref = `${PLACE}${tree}`;
    const source = ["--", this.#options.source, `+${ref}:${ref}`];
    const fetched = await git.output([...this.#here, "fetch", ...FETCH_OPTIONS, ...source]);
    if (!fetched.ok) return fetched;
    this.#fetches += 1;
    this.#commits.set(tree, this.#findCommit(tree)); // asked while the files are checked out
    return ok(undefined);
  }

  async #findCommit(tree: string): Promise<Result<string>> {
    const git = new Git(this.#options.directory);
    const ref = `${PLACE}${tree}`;
    const names = await git.output([...this.#here, "rev-parse", ref, `${ref}^{tree}`]);
    const [commit = "", found = ""] = names.ok ? names.value.toString().split("\n") : [];
    if (found === tree) return ok(commit);
    this.#commits.delete(tree);
    return names.ok ? fail(gitTrouble(["fetch", ref], `it holds the tree ${found}`)) : names;
  }
}

const PLACE = "refs/gauntlet/";

const FETCH_OPTIONS = [
  "--quiet",
  "--depth=1",
  "--no-tags",
  "--no-write-fetch-head",
  "--no-auto-maintenance",
  "--no-recurse-submodules",
  "--no-show-forced-updates",
];

/** Each ref is offered to the other side with every fetch. */
const MANY_FETCHES = 64;
/** By them the next fetch finds out what is here already. */
const KEPT_COMMITS = 8;
