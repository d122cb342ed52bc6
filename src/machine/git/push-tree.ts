import { existsSync } from "node:fs";
import { join } from "node:path";
import { ok, type Result } from "../../core/trouble.ts";
import type { Repository } from "./repository.ts";

/** The same files on the same HEAD are the same commit, whoever makes it. */
const IDENTITY = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((role) => [
    [`GIT_${role}_NAME`, "agent-gauntlet"],
    [`GIT_${role}_EMAIL`, "agent-gauntlet@localhost"],
    [`GIT_${role}_DATE`, "@0 +0000"],
  ]),
);

/** A tree of a snapshot, and the repository it goes to. */
interface Push {
  /** Where the snapshot keeps its objects. */
  readonly directory: string;
  readonly tree: string;
  readonly to: string;
  readonly signal: AbortSignal;
}

/**
 * Pushes a tree, as a commit on top of HEAD, to `refs/gauntlet/<tree>` of another repository. HEAD goes along under its own name:
 * by it the next push finds out what the other side has already.
 */
export async function pushTree(
  repository: Repository,
  { directory, tree, to, signal }: Push,
): Promise<Result<void>> {
  const { top } = repository;
  const env = repository.scratchEnv(directory);
  const base = await pushableHead(repository);
  const parent = base === undefined ? [] : ["-p", base];
  const made = await top.output(["commit-tree", tree, ...parent, "-m", "gauntlet"], {
    env: { ...env, ...IDENTITY },
    signal,
  });
  if (!made.ok) return made;
  const commit = made.value.toString().trim();
  const refs = [`${commit}:refs/gauntlet/${tree}`, ...(base ? [`${base}:refs/gauntlet/base-${base}`] : [])];
  const push = ["push", "--quiet", "--force", "--no-verify", "--no-signed", "--recurse-submodules=no"];
  const pushed = await top.output([...push, "--", to, ...refs], { env, signal });
  if (pushed.ok) return ok(undefined);
  const listed = await top.ask(["ls-remote", "--", to, `refs/gauntlet/${tree}`], { signal });
  const isThere = listed.ok && listed.value.stdout.toString().startsWith(commit);
  return isThere ? ok(undefined) : pushed; // of two that push the same at once, git refuses one
}

/** What others could not fetch whole, as in a shallow clone, they are not given as a parent. */
async function pushableHead({ top, places }: Repository): Promise<string | undefined> {
  if (existsSync(join(places.commonDir, "shallow"))) return undefined;
  const head = await top.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const commit = head.ok && head.value.exitCode === 0 ? head.value.stdout.toString().trim() : "";
  return commit === "" ? undefined : commit;
}
