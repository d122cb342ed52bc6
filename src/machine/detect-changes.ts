import type { ChangedFile, ChangeSet } from "../core/change-set.ts";
import { type AbsolutePath, type ProjectPath } from "../core/path.ts";
import { fail, ok, type Result } from "../core/trouble.ts";
import { parseNameStatus, parseStatus, type WorkTreeStatus } from "./git-output.ts";
import { git, gitOutput } from "./git.ts";
import { listFiles } from "./list-files.ts";

/** What to compare, as the user or the configuration asked. */
export interface ChangeQuery {
  readonly root: AbsolutePath;
  /** Where our own files are; they never count as changes. */
  readonly logDir: ProjectPath;
  /** The configured base branch; when it is missing the remote's default branch stands in. */
  readonly baseBranch: string;
  /** `--base`: must exist. */
  readonly base?: string | undefined;
  /** `--commit`: only what this commit changed. */
  readonly commit?: string | undefined;
  /** `--uncommitted`: only what is not committed. */
  readonly uncommitted?: boolean | undefined;
  /** On a build server nothing is uncommitted, so a missing base must not look like "no changes". */
  readonly ci?: boolean | undefined;
}

/** A change set together with where the repository stands. */
export interface DetectedChanges {
  readonly changes: ChangeSet;
  readonly branch?: string;
  readonly head?: string;
}

/** Finds what changed in the project. Without git everything counts as changed. */
export async function detectChanges(query: ChangeQuery): Promise<Result<DetectedChanges>> {
  const prefix = await git(query.root, ["rev-parse", "--show-prefix"]);
  if (!prefix.ok) return ok(everything(query, "git could not be started"));
  if (prefix.value.exitCode !== 0) return outsideGit(query, prefix.value.stderr);
  const detected = await inRepository(query, prefix.value.stdout.toString().replace(/\n$/, ""));
  return detected.ok ? ok(withoutLogs(detected.value, query.logDir)) : detected;
}

function outsideGit(query: ChangeQuery, stderr: string): Result<DetectedChanges> {
  if (stderr.includes("not a git repository")) return ok(everything(query, "not in a git repository"));
  return fail({ kind: "git-failed", command: "git rev-parse --show-prefix", detail: stderr });
}

function everything(query: ChangeQuery, why: string): DetectedChanges {
  const files = listFiles(query.root).map((path): ChangedFile => ({ path, change: "untracked" }));
  const comparedTo = `nothing (${why}): every file counts as changed`;
  return withoutLogs(
    { changes: { comparedTo, files, notes: [`${why}: every file counts as changed`] } },
    query.logDir,
  );
}

async function inRepository(query: ChangeQuery, prefix: string): Promise<Result<DetectedChanges>> {
  if (query.commit !== undefined) return inCommit(query, query.commit);
  const [status, base] = await Promise.all([workTreeStatus(query.root, prefix), comparisonBase(query)]);
  if (!status.ok) return status;
  if (!base.ok) return base;
  const { branch, head, files } = status.value;
  const place = { ...(branch === undefined ? {} : { branch }), ...(head === undefined ? {} : { head }) };
  const { mergeBase, description, notes } = base.value;
  if (mergeBase === undefined || head === undefined) {
    return ok({ changes: { comparedTo: description, files, notes }, ...place });
  }
  const committed = mergeBase === head ? ok([]) : await diff(query.root, mergeBase, head);
  if (!committed.ok) return committed;
  return ok({
    changes: {
      comparedTo: `${description} (${mergeBase.slice(0, 7)})`,
      baseCommit: mergeBase,
      files: mergeFiles(committed.value, files),
      notes,
    },
    ...place,
  });
}

async function inCommit(query: ChangeQuery, commit: string): Promise<Result<DetectedChanges>> {
  const known = await resolveCommit(query.root, commit);
  if (known === undefined) return fail({ kind: "unknown-revision", revision: commit });
  const args = ["--format=", "--diff-merges=first-parent", ...DIFF_OPTIONS, known, "--", "."];
  const shown = await gitOutput(query.root, ["show", ...args]);
  if (!shown.ok) return shown;
  const files = parseNameStatus(shown.value);
  return ok({
    changes: {
      comparedTo: `the parent of commit ${known.slice(0, 7)}`,
      baseCommit: `${known}^`,
      files,
      notes: [],
    },
  });
}

async function workTreeStatus(root: AbsolutePath, prefix: string): Promise<Result<WorkTreeStatus>> {
  const output = await gitOutput(root, [
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--untracked-files=all",
    "--ignore-submodules=none",
    "--find-renames",
    "--",
    ".",
  ]);
  return output.ok ? ok(parseStatus(output.value, prefix)) : output;
}

const DIFF_OPTIONS = [
  "--name-status",
  "-z",
  "--no-ext-diff",
  "--find-renames",
  "--relative",
  "--ignore-submodules=none",
];

async function diff(root: AbsolutePath, from: string, to: string): Promise<Result<readonly ChangedFile[]>> {
  const output = await gitOutput(root, ["diff", ...DIFF_OPTIONS, from, to, "--", "."]);
  return output.ok ? ok(parseNameStatus(output.value)) : output;
}

interface ComparisonBase {
  /** Absent: only uncommitted changes count. */
  readonly mergeBase?: string;
  readonly description: string;
  readonly notes: readonly string[];
}

const UNCOMMITTED = "uncommitted changes";

async function comparisonBase(query: ChangeQuery): Promise<Result<ComparisonBase>> {
  if (query.uncommitted) return ok({ description: UNCOMMITTED, notes: [] });
  const wanted = query.base ?? query.baseBranch;
  const mergeBase = await findMergeBase(query.root, wanted);
  if (mergeBase !== undefined) return ok({ mergeBase, description: wanted, notes: [] });
  const tip = await resolveCommit(query.root, wanted);
  if (tip !== undefined) return ok(unrelated(wanted, tip));
  if (query.base !== undefined) return fail({ kind: "unknown-revision", revision: query.base });
  return ok((await remoteDefault(query.root, wanted)) ?? (await lastResort(query, wanted)));
}

/** A shallow clone may not reach the common ancestor; the tip itself is the nearest truth. */
function unrelated(wanted: string, tip: string): ComparisonBase {
  const notes = [`no common ancestor with ${wanted} (a shallow clone?): comparing with its tip`];
  return { mergeBase: tip, description: wanted, notes };
}

async function remoteDefault(root: AbsolutePath, missing: string): Promise<ComparisonBase | undefined> {
  const heads = await gitOutput(root, ["for-each-ref", "--format=%(refname)", "refs/remotes/*/HEAD"]);
  const names = heads.ok ? heads.value.toString().split("\n").filter(Boolean) : [];
  const name = names.find((candidate) => candidate === "refs/remotes/origin/HEAD") ?? names[0];
  const mergeBase = name === undefined ? undefined : await findMergeBase(root, name);
  if (name === undefined || mergeBase === undefined) return undefined;
  const description = name.replace("refs/remotes/", "");
  const notes = [
    `${missing} does not exist here: comparing with the remote's default branch, ${description}`,
  ];
  return { mergeBase, description, notes };
}

async function lastResort({ root, ci }: ChangeQuery, missing: string): Promise<ComparisonBase> {
  const gone = `${missing} does not exist here`;
  if (!ci) return { description: UNCOMMITTED, notes: [`${gone}: only uncommitted changes count`] };
  const parent = await resolveCommit(root, "HEAD^");
  if (parent !== undefined) {
    return { mergeBase: parent, description: "HEAD^", notes: [`${gone}: comparing with the parent commit`] };
  }
  const emptyTree = await gitOutput(root, ["hash-object", "-t", "tree", "/dev/null"]);
  const notes = [`${gone}, nor does a parent commit: every file counts as changed`];
  return {
    description: "nothing",
    notes,
    ...(emptyTree.ok ? { mergeBase: emptyTree.value.toString().trim() } : {}),
  };
}

async function findMergeBase(root: AbsolutePath, revision: string): Promise<string | undefined> {
  if (revision.startsWith("-")) return undefined;
  const answer = await git(root, ["merge-base", revision, "HEAD"]);
  return answer.ok && answer.value.exitCode === 0 ? answer.value.stdout.toString().trim() : undefined;
}

async function resolveCommit(root: AbsolutePath, revision: string): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const answer = await git(root, args);
  return answer.ok && answer.value.exitCode === 0 ? answer.value.stdout.toString().trim() : undefined;
}

/** What is in the work tree now has the last word about a file. */
function mergeFiles(
  committed: readonly ChangedFile[],
  current: readonly ChangedFile[],
): readonly ChangedFile[] {
  const byPath = new Map([...committed, ...current].map((file) => [file.path, file]));
  return [...byPath.values()];
}

function withoutLogs(detected: DetectedChanges, logDir: ProjectPath): DetectedChanges {
  const files = detected.changes.files.filter(
    ({ path }) => path !== logDir && !path.startsWith(`${logDir}/`),
  );
  return { ...detected, changes: { ...detected.changes, files } };
}

/** The commit changes are measured from, without looking for the changes themselves. */
export async function findBaseCommit(query: ChangeQuery): Promise<string | undefined> {
  const base = await comparisonBase(query);
  return base.ok ? base.value.mergeBase : undefined;
}

/** Whether a commit has become part of a branch. */
export async function isAncestor(root: AbsolutePath, commit: string, branch: string): Promise<boolean> {
  const answer = await git(root, ["merge-base", "--is-ancestor", commit, branch]);
  return answer.ok && answer.value.exitCode === 0;
}

/** In GitHub Actions the pull request says what it will be merged into. */
export function baseBranchIn(env: Readonly<Record<string, string | undefined>>, configured: string): string {
  const target = env["GITHUB_BASE_REF"];
  return target ? `origin/${target}` : configured;
}
