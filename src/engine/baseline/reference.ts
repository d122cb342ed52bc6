import type { RunRequest } from "../../core/run.ts";
import { fail, ok, type Result } from "../../core/trouble.ts";
import type { PastTree } from "../../machine/baseline/scratch-tree.ts";
import type { Repository } from "../../machine/git/repository.ts";
import type { PlannedRun } from "../run.ts";

/** The tree before the agent began, as well as it is known. */
export interface Reference extends PastTree {
  /** Tells it from others in a record. */
  readonly id: string;
  /** In words: `origin/main (1a2b3c4)`. */
  readonly words: string;
}

/** Finds the tree to compare with: what changes are measured from. */
export async function findReference(
  repository: Repository | undefined,
  { event, record }: Pick<RunRequest, "event" | "record">,
  { detected }: Pick<PlannedRun, "detected">,
): Promise<Result<Reference>> {
  const { changes } = detected;
  const isOwnWork = event === undefined; // in a stop, the last commit may be the agent's
  const isStart = changes.blindTo === undefined && record?.start?.head === changes.head;
  const lastCommit = isOwnWork || isStart ? changes.head : undefined;
  const commit = changes.baseCommit ?? lastCommit;
  if (repository === undefined || commit === undefined) return fail(NO_COMMIT);
  const tree = await repository.git.output(["rev-parse", "--verify", `${commit}^{commit}^{tree}`]);
  if (!tree.ok) return fail(NO_COMMIT);
  const words =
    changes.baseCommit === undefined ? `the last commit, ${commit.slice(0, 7)}` : changes.comparedTo;
  const id = changes.baseCommit === undefined && isOwnWork ? `last:${commit}` : commit; // no stop may rest on it
  return ok({ tree: tree.value.toString().trim(), head: commit, id, words, objects: [] });
}

const NO_COMMIT = {
  kind: "git-failed",
  command: "git merge-base",
  detail: "no commit is known to be older than this work; `base_branch` in .gauntlet/config.yml names one",
} as const;
