import type { ChangedFile } from "../core/change-set.ts";
import type { AbsolutePath } from "../core/path.ts";
import { ok, type Result } from "../core/trouble.ts";
import { Repository } from "./repository.ts";
import { type ChangeQuery, type ComparisonBase, comparisonBase } from "./comparison-base.ts";
import { parseNameStatus } from "./git-output.ts";
import { gitOutput } from "./git.ts";

/** What HEAD is compared with, and what was committed since: as long as no ref moves, both stay what they are. */
export interface HeadComparison {
  readonly base: ComparisonBase;
  readonly committed: readonly ChangedFile[];
}

export async function compareHead(query: ChangeQuery): Promise<Result<HeadComparison>> {
  const base = await comparisonBase(query);
  if (!base.ok) return base;
  const committed = await committedSince(query.root, base.value.mergeBase);
  return committed.ok ? ok({ base: base.value, committed: committed.value }) : committed;
}

/** On a branch without a commit, nothing; only then may the comparison fail. */
async function committedSince(
  root: AbsolutePath,
  mergeBase: string | undefined,
): Promise<Result<readonly ChangedFile[]>> {
  if (mergeBase === undefined) return ok([]);
  const committed = await diffCommits(root, mergeBase, "HEAD");
  if (committed.ok) return committed;
  const repo = new Repository(root);
  const head = await repo.resolve("HEAD");
  return head === undefined && repo.trouble === undefined ? ok([]) : committed;
}

const DIFF_OPTIONS = [
  "--name-status",
  "-z",
  "--no-ext-diff",
  "--find-renames",
  "--relative",
  "--ignore-submodules=none",
];

/** The files below `root` that differ between two commits or trees. */
export async function diffCommits(
  root: AbsolutePath,
  from: string,
  to: string,
): Promise<Result<readonly ChangedFile[]>> {
  const output = await gitOutput(root, ["diff", ...DIFF_OPTIONS, from, to, "--", "."]);
  return output.ok ? ok(parseNameStatus(output.value)) : output;
}
