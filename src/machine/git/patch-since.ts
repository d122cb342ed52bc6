import { fail, ok, type Result } from "../../core/trouble.ts";
import { emptyTree, isAncestor } from "./compare/base.ts";
import { type Git, gitTrouble, LOOK_OPTIONS } from "./git.ts";
import { Repository } from "./repository.ts";
import { DIFF_OPTIONS } from "./review-trees.ts";
import { type Snapshot, treeIdOf } from "./snapshot.ts";

export interface Patch {
  readonly text: string;
  /** Why it does not hold everything, if so. */
  readonly gap?: string;
}

interface PatchRange {
  /** What the change is measured from; without it the first of `known` that is behind HEAD, else an empty tree. */
  readonly from: string | undefined;
  readonly known: readonly (string | undefined)[];
  /** A commit; the snapshot when absent. */
  readonly to?: string | undefined;
  /** Pathspecs: only these files are in the patch. */
  readonly patterns: readonly string[];
}

/** Far more than an agent writes in a session. */
const MAX_PATCH_BYTES = 32 * 1024 * 1024;

/** The change as a patch. No attribute of the project can keep a file out of it as binary. */
export async function patchSince(git: Git, snapshot: Snapshot, range: PatchRange): Promise<Result<Patch>> {
  const repository = await Repository.around(git);
  if (repository === undefined) return fail(gitTrouble(["diff"], "not in a git work tree"));
  const [from, tree] = await Promise.all([startOf(git, range), range.to ?? treeIdOf(snapshot)]);
  if (!from.ok) return from;
  const { directory } = snapshot;
  const given = directory === undefined ? {} : repository.scratchEnv(directory);
  const ends = tree === undefined ? [from.value] : [from.value, tree];
  const options = [...DIFF_OPTIONS, "--unified=3", "--text", "--no-indent-heuristic"];
  const args = [...LOOK_OPTIONS, "diff", ...options, ...ends, "--", ...range.patterns];
  const output = await repository.look((env) => git.output(args, { env: { ...env, ...given } }));
  if (!output.ok) return output;
  const isCut = output.value.length > MAX_PATCH_BYTES;
  const gap = isCut ? "the change is too large to be read whole" : tree === undefined ? UNTRACKED : undefined;
  const text = output.value.subarray(0, MAX_PATCH_BYTES).toString("utf8");
  return ok({ text, ...(gap === undefined ? {} : { gap }) });
}

const UNTRACKED = "new files that git does not track were not looked at";

async function startOf(git: Git, { from, known }: PatchRange): Promise<Result<string>> {
  if (from !== undefined) return ok(from);
  for (const commit of known)
    if (commit !== undefined && (await isAncestor(git, commit, "HEAD"))) return ok(commit);
  return emptyTree(git);
}
