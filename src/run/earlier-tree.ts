import type { RunRequest } from "./request.ts";
import { type SessionStart, startIn } from "../stop/session.ts";
import { fail, ok, type Result } from "../trouble.ts";
import type { Repository } from "../system/git/repository.ts";
import { sessionTree } from "../system/git/kept-trees.ts";
import type { StoredTree } from "../system/git/scratch-tree.ts";
import type { Project } from "./open.ts";
import type { PlannedRun } from "./plan-run.ts";

export interface EarlierTree extends StoredTree {
  readonly id: string;
  readonly words: string;
}

/** What the session began with if that is known, else what changes are measured from. */
export async function findEarlierTree(
  repository: Repository | undefined,
  { session, settings, env }: Project,
  request: RunRequest,
  planned: PlannedRun,
): Promise<Result<EarlierTree>> {
  const start = startIn(session.value, settings.root);
  const began = start && (await beginningOf(repository, start, env));
  if (began !== undefined) return ok(began);
  const { changes } = planned.detected;
  const isOwnWork = request.event === undefined; // in a stop, the last commit may be the agent's
  const isStart =
    changes.uncheckedCommits === undefined && start?.head !== undefined && start.head === changes.head;
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

async function beginningOf(
  repository: Repository | undefined,
  start: SessionStart,
  env: Project["env"],
): Promise<EarlierTree | undefined> {
  const began = sessionTree(start, env);
  if (began === undefined) return undefined;
  const tree = await repository?.git.output(["rev-parse", "--verify", "--end-of-options", began.tree]);
  if (tree?.ok !== true) return undefined; // the commit is gone
  const words = "the start of this session";
  return {
    tree: tree.value.toString().trim(),
    head: start.head,
    id: began.tree,
    words,
    objects: began.objects,
  };
}

const NO_COMMIT = {
  kind: "nothing-older",
  detail:
    "no commit is known to be older than this work (`base_branch` in .gauntlet/config.yml can name one)",
} as const;
