import { existsSync } from "node:fs";
import { join } from "node:path";
import { readIfFile } from "../../files/files.ts";
import type { ChangedFile } from "../change-set.ts";
import { projectPath } from "../../../path.ts";
import { ok, type Result } from "../../../trouble.ts";
import { type ComparisonBase, Commits, type Fallbacks, type StartingPoint } from "./base.ts";
import { type Git, splitNul } from "../git.ts";
import { diffCommits, type HeadComparison } from "./head-comparison.ts";
import type { GitPlaces } from "../places.ts";
import { isAsKept, type PassIndex } from "../index-file.ts";
import type { Repository } from "../repository.ts";

type Pass = NonNullable<Fallbacks["pass"]> & { readonly index: PassIndex };

type Chosen =
  | { readonly kind: "base"; readonly uncheckedCommits?: string }
  | ({ readonly kind: "session-start" } & StartingPoint)
  | { readonly kind: "pass"; readonly pass: Pass };

/**
 * If HEAD has no commit beyond the base, commits hide changes: an agent that breaks a test and commits would show none. Then
 * the last tree known to be good is the base.
 */
export async function chooseBase(
  repository: Repository,
  base: ComparisonBase,
  { sessionStart, pass }: Fallbacks,
): Promise<Chosen> {
  const { places } = repository;
  const head = repository.head().commit ?? (await new Commits(repository.git).resolve("HEAD"));
  if (head === undefined || head === sessionStart?.commit) return { kind: "base" };
  if (sessionStart !== undefined) return { kind: "session-start", ...sessionStart };
  const isShared = base.isMissing !== true && isRemoteBranch(places, base.description);
  if (pass !== undefined) {
    const mayHoldWork = !isShared || hasCommittedSince(places, pass.head); // a pull brings others' commits, a commit made here is ours
    const { index } = pass;
    if (mayHoldWork && index !== undefined && isAsKept(index))
      return { kind: "pass", pass: { ...pass, index } };
  }
  const mayHide = base.isMissing === true || isOn(places, base.description);
  return mayHide && !isShared ? { kind: "base", uncheckedCommits: uncheckedCommits(base) } : { kind: "base" };
}

export async function compareWithChosen(
  repository: Repository,
  compared: HeadComparison,
  chosen: Chosen,
): Promise<Result<HeadComparison>> {
  switch (chosen.kind) {
    case "base": {
      const { uncheckedCommits: blind } = chosen;
      return ok(
        blind === undefined ? compared : { ...compared, base: { ...compared.base, uncheckedCommits: blind } },
      );
    }
    case "session-start":
      return sinceStart(repository, chosen);
    case "pass":
      return sincePass(repository, compared, chosen.pass);
  }
}

/**
 * HEAD against the commit and the tree that the session began with. The tree shows what commits do not: unfinished work that
 * was undone, and everything in a repository that had no commits.
 */
async function sinceStart(
  { git }: Repository,
  { commit, tree }: StartingPoint,
): Promise<Result<HeadComparison>> {
  const kept = await tree?.();
  const found = await Promise.all([
    ...(kept === undefined ? [] : [diffOrNothing(git, kept.tree, ...kept.objects)]),
    ...(commit === undefined ? [] : [diffOrNothing(git, commit)]),
  ]);
  if (found.every((files) => files === undefined)) return sinceNothing(git);
  const committed = [
    ...new Map(found.flatMap((files) => files ?? []).map((file) => [file.path, file])).values(),
  ];
  const base = { mergeBase: commit, description: "the start of this session", notes: [] };
  return ok({ base, committed });
}

/** A repository without the objects that the session began with was made in its place: everything in it is new. */
async function sinceNothing(git: Git): Promise<Result<HeadComparison>> {
  const listed = await git.output(["ls-tree", "-r", "-z", "--name-only", "HEAD"]);
  if (!listed.ok) return listed;
  const description = "nothing (this repository does not hold what the session began with)";
  const committed = splitNul(listed.value).map((path): ChangedFile => ({
    path: projectPath(path),
    change: "added",
  }));
  return ok({ base: { description, notes: [] }, committed });
}

async function diffOrNothing(
  git: Git,
  from: string,
  ...objects: readonly string[]
): Promise<readonly ChangedFile[] | undefined> {
  const found = await diffCommits(git, { from, to: "HEAD", objects });
  return found.ok ? found.value : undefined;
}

/** HEAD against the tree that passed, by ids: no objects are needed. Uncommitted changes count besides, passed or not. */
async function sincePass(
  { git }: Repository,
  compared: HeadComparison,
  { index, runNumber }: Pass,
): Promise<Result<HeadComparison>> {
  const args = ["diff-index", "--cached", "--name-only", "-z", "--no-renames", "--relative"];
  const listed = await git.output([...args, "HEAD", "--", "."], { env: { GIT_INDEX_FILE: index.path } });
  if (!listed.ok) return ok(compared);
  const committed = splitNul(listed.value).map((path): ChangedFile => ({
    path: projectPath(path),
    change: "modified",
  }));
  return ok({
    base: { description: `the last commit and the last pass (run ${runNumber})`, notes: [] },
    committed,
  });
}

function isRemoteBranch({ commonDir }: GitPlaces, name: string): boolean {
  const ref = `refs/remotes/${name}`;
  return (
    existsSync(join(commonDir, ref)) ||
    (readIfFile(join(commonDir, "packed-refs"))?.includes(` ${ref}\n`) ?? false)
  );
}

function isOn({ gitDir }: GitPlaces, branch: string): boolean {
  return readIfFile(join(gitDir, "HEAD"))?.trim() === `ref: refs/heads/${branch}`;
}

const MADE_HERE = /\t(?:commit|cherry-pick|revert|rebase|am)\b/;

/** By HEAD's log; without a log, anything may have happened. */
function hasCommittedSince({ gitDir }: GitPlaces, commit: string | undefined): boolean {
  const log = readIfFile(join(gitDir, "logs/HEAD"));
  if (log === undefined) return true;
  const lines = log.trimEnd().split("\n");
  const at = lines.findLastIndex((line) => line.split(" ", 2)[1] === commit);
  return lines.slice(at + 1).some((line) => MADE_HERE.test(line));
}

function uncheckedCommits({ isMissing, missing, description }: ComparisonBase): string {
  const named = missing === undefined ? "" : ` (${missing})`;
  const why =
    isMissing === true
      ? `the configured base branch${named} does not exist here`
      : `HEAD is on ${description}`;
  return `Committed work was not looked at: ${why}, and nothing has passed here yet. Set \`base_branch\` in .gauntlet/config.yml to the branch this work will be merged into, or run \`agent-gauntlet run\` once on a good tree.`;
}
