import type { Environment } from "../../process/environment.ts";
import type { PassIndex } from "../index-file.ts";
import { type Git, type GitAnswer, gitTrouble } from "../git.ts";
import type { AbsolutePath, ProjectPath } from "../../../path.ts";
import { fail, ok, type Result, type Trouble } from "../../../trouble.ts";

export interface ChangeQuery {
  readonly root: AbsolutePath;
  /** Our own files never count as changes. */
  readonly logDir: ProjectPath;
  readonly baseBranch: string;
  readonly base?: string | undefined;
  /** `--commit`: only what this commit changed. */
  readonly commit?: string | undefined;
  /** `--staged`: only what the next commit holds. */
  readonly staged?: boolean | undefined;
  /** `--uncommitted`: only what is not committed. */
  readonly uncommitted?: boolean | undefined;
  readonly known?: Fallbacks | undefined;
  /** On a build server a missing base must not look like "no changes". */
  readonly ci?: boolean | undefined;
}

export interface Fallbacks {
  readonly sessionStart?: StartingPoint | undefined;
  readonly pass?:
    | {
        readonly index: PassIndex | undefined;
        readonly head?: string | undefined;
        readonly runNumber: number;
      }
    | undefined;
}

export interface StartingPoint {
  /** HEAD when the session was first seen; undefined without commits. */
  readonly commit?: string | undefined;
  readonly tree?: (() => Promise<KeptTree | undefined>) | undefined;
}

export interface KeptTree {
  readonly tree: string;
  readonly objects: readonly string[];
}

export interface ComparisonBase {
  readonly mergeBase?: string;
  readonly description: string;
  readonly notes: readonly string[];
  /** The configured base is missing, and nothing replaces it. */
  readonly isMissing?: boolean;
  readonly missing?: string;
  readonly uncheckedCommits?: string;
}

const LAST_COMMIT = "the last commit";

export async function comparisonBase(git: Git, query: ChangeQuery): Promise<Result<ComparisonBase>> {
  if (query.uncommitted) return ok({ description: LAST_COMMIT, notes: [] });
  const wanted = query.base ?? query.baseBranch;
  const repo = new Commits(git);
  const found = await findBase(repo, query, wanted);
  if (repo.trouble !== undefined) return fail(repo.trouble); // what was not found may be there all the same
  return found === undefined ? fail({ kind: "unknown-revision", revision: wanted }) : ok(found);
}

async function findBase(
  repo: Commits,
  query: ChangeQuery,
  wanted: string,
): Promise<ComparisonBase | undefined> {
  const found = (await measureFrom(repo, wanted)) ?? (await remoteNamesake(repo, wanted));
  if (found !== undefined || query.base !== undefined) return found;
  return (
    (await remoteDefault(repo, wanted)) ??
    (await localNamesake(repo, wanted)) ??
    (await lastResort(repo, query, wanted))
  );
}

async function measureFrom(repo: Commits, revision: string): Promise<ComparisonBase | undefined> {
  const mergeBase = await repo.mergeBase(revision);
  if (mergeBase !== undefined) return { mergeBase, description: revision, notes: [] };
  const tip = await repo.resolve(revision);
  return tip === undefined ? undefined : unrelated(revision, tip);
}

/** A shallow clone may not reach the common ancestor; the tip itself is the nearest truth. */
function unrelated(revision: string, tip: string): ComparisonBase {
  const notes = [`no common ancestor with ${revision} (a shallow clone?): comparing with its tip`];
  return { mergeBase: tip, description: revision, notes };
}

/** A branch that was never checked out here is known by its remote's name only. */
async function remoteNamesake(repo: Commits, missing: string): Promise<ComparisonBase | undefined> {
  return missing.startsWith(ORIGIN) ? undefined : standIn(repo, missing, `${ORIGIN}${missing}`);
}

async function remoteDefault(repo: Commits, missing: string): Promise<ComparisonBase | undefined> {
  const names = await repo.remoteHeads();
  const name = names.find((candidate) => candidate === "refs/remotes/origin/HEAD") ?? names[0];
  return name === undefined ? undefined : standIn(repo, missing, name.replace("refs/remotes/", ""));
}

/** Without a remote, the local branch of that name, unless HEAD is no further. */
async function localNamesake(repo: Commits, missing: string): Promise<ComparisonBase | undefined> {
  if (!missing.startsWith(ORIGIN)) return undefined;
  const local = await standIn(repo, missing, missing.slice(ORIGIN.length));
  return local?.mergeBase === (await repo.resolve("HEAD")) ? undefined : local;
}

const ORIGIN = "origin/";

async function standIn(
  repo: Commits,
  missing: string,
  substitute: string,
): Promise<ComparisonBase | undefined> {
  const base = await measureFrom(repo, substitute);
  const note = `${missing} does not exist here: comparing with ${substitute}`;
  return base === undefined ? undefined : { ...base, notes: [note, ...base.notes] };
}

async function lastResort(repo: Commits, { ci }: ChangeQuery, missing: string): Promise<ComparisonBase> {
  const gone = `${missing} does not exist here`;
  if (!ci) {
    return { description: LAST_COMMIT, notes: [], isMissing: true, missing };
  }
  const parent = await repo.resolve("HEAD^");
  if (parent !== undefined) {
    return { mergeBase: parent, description: "HEAD^", notes: [`${gone}: comparing with the parent commit`] };
  }
  const nothing = await emptyTree(repo.git);
  const notes = [`${gone}, nor does a parent commit: every file counts as changed`];
  return { description: "nothing", notes, mergeBase: nothing.ok ? nothing.value : undefined };
}

export async function emptyTree(git: Git): Promise<Result<string>> {
  const id = await git.output(["hash-object", "-t", "tree", "--stdin"]);
  return id.ok ? ok(id.value.toString().trim()) : id;
}

export async function isAncestor(git: Git, commit: string, branch: string): Promise<boolean> {
  const answer = await git.ask(["merge-base", "--is-ancestor", "--end-of-options", commit, branch]);
  return answer.ok && answer.value.exitCode === 0;
}

export function baseBranchIn(env: Environment, configured: string): string {
  const target = env["GITHUB_BASE_REF"];
  return target ? `origin/${target}` : configured;
}

/**
 * Asks git for commits by name. A git that was killed or failed has not said that there is no such commit: then `trouble` is
 * set, and no answer may be used.
 */
export class Commits {
  readonly git: Git;
  #trouble: Trouble | undefined;

  constructor(git: Git) {
    this.git = git;
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /** A name that begins with a dash is never an option. */
  async resolve(revision: string): Promise<string | undefined> {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
    const mayBeFatal = revision.includes("@{"); // so git calls an upstream or an old place that a branch does not have
    return this.#ask(args, ({ exitCode }) => exitCode === 1 || mayBeFatal);
  }

  /** Git fails alike for an unknown name and for a HEAD without commits. */
  async mergeBase(revision: string): Promise<string | undefined> {
    return this.#ask(["merge-base", "--end-of-options", revision, "HEAD"], () => true);
  }

  async isRemote(revision: string): Promise<boolean> {
    const full = await this.#ask(
      ["rev-parse", "--symbolic-full-name", "--end-of-options", revision],
      () => true,
    );
    return full?.includes("refs/remotes/") === true;
  }

  async remoteHeads(): Promise<readonly string[]> {
    const heads = await this.#ask(
      ["for-each-ref", "--format=%(refname)", "refs/remotes/*/HEAD"],
      () => false,
    );
    return heads?.split("\n").filter(Boolean) ?? [];
  }

  async #ask(args: readonly string[], isNo: (answer: GitAnswer) => boolean): Promise<string | undefined> {
    const answer = await this.git.ask(args);
    if (!answer.ok) {
      this.#trouble ??= answer.trouble;
      return undefined;
    }
    const { exitCode, stdout, stderr, wasEnded } = answer.value;
    if (exitCode === 0) return stdout.toString().trim();
    if (wasEnded || !isNo(answer.value)) this.#trouble ??= gitTrouble(args, stderr);
    return undefined;
  }
}
