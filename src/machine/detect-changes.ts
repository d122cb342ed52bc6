import type { ChangedFile, ChangeSet } from "../core/change-set.ts";
import { type AbsolutePath, type ProjectPath } from "../core/path.ts";
import { fail, ok, type Result } from "../core/trouble.ts";
import { type ChangeQuery, emptyTree, resolveCommit } from "./comparison-base.ts";
import { parseStatus, type WorkTreeStatus } from "./git-output.ts";
import { placesByLayout } from "./git-places.ts";
import { git, gitOutput } from "./git.ts";
import { compareHead, diffCommits, type HeadComparison } from "./head-comparison.ts";
import { lookAtEveryFile } from "./look-at-every-file.ts";
import { listFiles } from "./list-files.ts";

/** A change set together with where the repository stands. */
export interface DetectedChanges {
  readonly changes: ChangeSet;
  readonly branch?: string;
  readonly head?: string;
}

/** Finds what changed in the project. Without git everything counts as changed. */
export async function detectChanges(
  query: ChangeQuery,
  compare = () => compareHead(query),
): Promise<Result<DetectedChanges>> {
  const prefix = placesByLayout(query.root)?.prefix ?? (await askPrefix(query));
  if (typeof prefix !== "string") return prefix;
  const detected = await inRepository(query, { prefix, compare });
  if (detected.ok) return ok(withoutLogs(detected.value, query.logDir));
  const asked = await askPrefix(query); // it looked like a repository, but git has the last word, if there is a git
  return typeof asked === "string" ? detected : asked;
}

async function askPrefix(query: ChangeQuery): Promise<string | Result<DetectedChanges>> {
  const prefix = await git(query.root, ["rev-parse", "--show-prefix"]);
  if (!prefix.ok) return ok(everything(query, "git could not be started"));
  if (prefix.value.exitCode !== 0) return outsideGit(query, prefix.value.stderr);
  return prefix.value.stdout.toString().replace(/\n$/, "");
}

function outsideGit(query: ChangeQuery, stderr: string): Result<DetectedChanges> {
  if (stderr.includes("not a git repository")) return ok(everything(query, "not in a git repository"));
  return fail({ kind: "git-failed", command: "git rev-parse --show-prefix", detail: stderr });
}

function everything(query: ChangeQuery, why: string): DetectedChanges {
  const { files: paths, isCut } = listFiles(query.root);
  const files = paths.map((path): ChangedFile => ({ path, change: "untracked" }));
  const notes = [
    `${why}: every file counts as changed`,
    ...(isCut ? [`too many files: only the first ${files.length} were looked at`] : []),
  ];
  return withoutLogs({ changes: { comparedTo: `nothing (${why})`, files, notes } }, query.logDir);
}

interface Place {
  readonly prefix: string;
  readonly compare: () => Promise<Result<HeadComparison>>;
}

async function inRepository(
  query: ChangeQuery,
  { prefix, compare }: Place,
): Promise<Result<DetectedChanges>> {
  if (query.commit !== undefined) return inCommit(query, query.commit);
  const [status, comparison] = await Promise.all([workTreeStatus(query.root, prefix), compare()]);
  if (!status.ok) return status;
  if (!comparison.ok) return comparison;
  const { branch, head, files } = status.value;
  const place = { ...(branch === undefined ? {} : { branch }), ...(head === undefined ? {} : { head }) };
  const { base, committed } = comparison.value;
  const { mergeBase, description, notes } = base;
  if (head === undefined) {
    return ok({ changes: { comparedTo: "nothing (no commits yet)", files, notes: [] }, ...place });
  }
  if (mergeBase === undefined) return ok({ changes: { comparedTo: description, files, notes }, ...place });
  return ok({
    changes: {
      comparedTo: `${description} (${mergeBase.slice(0, 7)})`,
      baseCommit: mergeBase,
      files: mergeFiles(committed, files),
      notes,
    },
    ...place,
  });
}

async function inCommit(query: ChangeQuery, commit: string): Promise<Result<DetectedChanges>> {
  const known = await resolveCommit(query.root, commit);
  if (known === undefined) return fail({ kind: "unknown-revision", revision: commit });
  const parent = await resolveCommit(query.root, `${known}^`);
  const before = parent === undefined ? await emptyTree(query.root) : ok(parent);
  if (!before.ok) return before;
  const files = await diffCommits(query.root, before.value, known);
  if (!files.ok) return files;
  const name = `commit ${known.slice(0, 7)}`;
  const comparedTo = parent === undefined ? `nothing (${name} has no parent)` : `the parent of ${name}`;
  const baseCommit = parent === undefined ? {} : { baseCommit: parent };
  return ok({ changes: { comparedTo, ...baseCommit, commit: known, files: files.value, notes: [] } });
}

async function workTreeStatus(root: AbsolutePath, prefix: string): Promise<Result<WorkTreeStatus>> {
  const output = await lookAtEveryFile(root, (env) => gitOutput(root, STATUS, { env }));
  return output.ok ? ok(parseStatus(output.value, prefix)) : output;
}

const STATUS = [
  "status",
  "--porcelain=v2",
  "--branch",
  "-z",
  "--untracked-files=all",
  "--ignore-submodules=none",
  "--find-renames",
  "--",
  ".",
];

/** What is in the work tree now has the last word about a file; where a renamed file was before stays changed. */
function mergeFiles(
  committed: readonly ChangedFile[],
  current: readonly ChangedFile[],
): readonly ChangedFile[] {
  const left = committed.flatMap(({ from }): ChangedFile[] =>
    from === undefined ? [] : [{ path: from, change: "deleted" }],
  );
  const byPath = new Map([...committed, ...current].map((file) => [file.path, file]));
  const told = new Set([...byPath.values()].map(({ from }) => from));
  const untold = left.filter(({ path }) => !told.has(path) && !byPath.has(path));
  return [...byPath.values(), ...untold];
}

function withoutLogs(detected: DetectedChanges, logDir: ProjectPath): DetectedChanges {
  const isLog = (path: string): boolean => path === logDir || path.startsWith(`${logDir}/`);
  const files = detected.changes.files.filter(({ path, from }) => !isLog(path) || !isLog(from ?? path));
  return { ...detected, changes: { ...detected.changes, files } };
}
