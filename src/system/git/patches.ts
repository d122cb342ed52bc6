import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ChangeSet } from "./change-set.ts";
import { type Git, gitTrouble, LOOK_OPTIONS, objectsEnv } from "./git.ts";
import { Repository } from "./repository.ts";
import { keepSnapshot, type Snapshot } from "./snapshot.ts";
import { type Fingerprint, treeIdOf } from "./tree-id.ts";
import { once } from "../../once.ts";
import { ok, type Result, fail } from "../../trouble.ts";
import { emptyTree, isAncestor } from "./compare/base.ts";

/** The work trees that reviewers have seen, kept below the log directory so that a later round can see what changed since. */
export class ReviewTrees {
  readonly #git: Git;
  readonly #dir: string;

  constructor(git: Git, logDir: string) {
    this.#git = git;
    this.#dir = join(logDir, ".state", "reviews", "trees");
  }

  readonly current = once(async (): Promise<Fingerprint> =>
    keepSnapshot(await Repository.around(this.#git), this.#dir),
  );

  async changeUpTo(tree: string, changes: ChangeSet): Promise<Result<string>> {
    const target = changes.commit ?? tree;
    return this.#diff(await this.#baseOf(changes), target, [tree]);
  }

  between(from: string, to: string): Promise<Result<string>> {
    return this.#diff(from, to, [from, to]);
  }

  async forgetAllBut(trees: readonly string[]): Promise<void> {
    const names = await readdir(this.#dir).catch(() => []);
    const doomed = names.filter((name) => !trees.includes(name));
    await Promise.all(doomed.map((name) => rm(join(this.#dir, name), { recursive: true, force: true })));
  }

  async #diff(from: string, to: string, kept: readonly string[]): Promise<Result<string>> {
    const env = objectsEnv(kept.map((tree) => join(this.#dir, tree)));
    const output = await this.#git.output(["diff", ...DIFF_OPTIONS, from, to, "--", "."], { env });
    return output.ok ? ok(output.value.subarray(0, MAX_REVIEWED_BYTES).toString("utf8")) : output;
  }

  async #baseOf({ baseCommit, commit }: ChangeSet): Promise<string> {
    for (const revision of [baseCommit, commit === undefined ? "HEAD" : undefined]) {
      if (revision !== undefined && (await this.#exists(revision))) return revision;
    }
    const empty = await emptyTree(this.#git);
    return empty.ok ? empty.value : "HEAD";
  }

  async #exists(revision: string): Promise<boolean> {
    const known = await this.#git.ask(["rev-parse", "--verify", "--quiet", "--end-of-options", revision]);
    return known.ok && known.value.exitCode === 0;
  }
}

const MAX_REVIEWED_BYTES = 64 * 1024 * 1024;

/** The user's own diff settings must not change what we read. */
const DIFF_OPTIONS = [
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

export interface Patch {
  readonly text: string;
  readonly gap?: string;
}

interface PatchRange {
  readonly from: string | undefined;
  readonly known: readonly (string | undefined)[];
  readonly to?: string | undefined;
  readonly patterns: readonly string[];
  /** Lines around each change. */
  readonly context?: number | undefined;
}

const MAX_PATCH_BYTES = 32 * 1024 * 1024;

/** The change as a patch. No attribute of the project can hide a file in it as binary. */
export async function patchSince(git: Git, snapshot: Snapshot, range: PatchRange): Promise<Result<Patch>> {
  const repository = await Repository.around(git);
  if (repository === undefined) return fail(gitTrouble(["diff"], "not in a git work tree"));
  const [from, tree] = await Promise.all([
    startOf(git, range),
    range.to ?? snapshot.writeTree().then(treeIdOf),
  ]);
  if (!from.ok) return from;
  const { directory } = snapshot;
  const given = directory === undefined ? {} : repository.scratchEnv(directory);
  const ends = tree === undefined ? [from.value] : [from.value, tree];
  const options = [...DIFF_OPTIONS, `--unified=${range.context ?? 3}`, "--text", "--no-indent-heuristic"];
  const args = [...LOOK_OPTIONS, "diff", ...options, ...ends, "--", ...range.patterns];
  const output = await repository.look((env) => git.output(args, { env: { ...env, ...given } }));
  if (!output.ok) return output;
  const isCut = output.value.length > MAX_PATCH_BYTES;
  const gap = isCut ? "the change is too large to be read whole" : tree === undefined ? UNTRACKED : undefined;
  const text = output.value.subarray(0, MAX_PATCH_BYTES).toString("utf8");
  return ok({ text, gap });
}

const UNTRACKED = "new files that git does not track were not looked at";

async function startOf(git: Git, { from, known }: PatchRange): Promise<Result<string>> {
  if (from !== undefined) return ok(from);
  for (const commit of known)
    if (commit !== undefined && (await isAncestor(git, commit, "HEAD"))) return ok(commit);
  return emptyTree(git);
}
