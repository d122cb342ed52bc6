import { tmpdir } from "node:os";
import type { ChangedFile, ChangeSet } from "./change-set.ts";
import { type ProjectPath, projectPath } from "../../path.ts";
import { fail, ok, type Result } from "../../trouble.ts";
import { troubleOf } from "../files/files.ts";
import { listFiles } from "../files/list-files.ts";
import { type ChangeQuery, Commits, emptyTree } from "./compare/base.ts";
import { type Git, LOOK_OPTIONS, WITHOUT_FETCHING } from "./git.ts";
import { diffCommits, diffStaged, type HeadComparison, listUnstaged } from "./compare/head-comparison.ts";
import { lookAtEveryFile, submoduleOption, submodulesWithHiddenChanges } from "./assume-unchanged.ts";
import { parseStatus, type WorkTreeStatus } from "./read-output.ts";
import type { Repository } from "./repository.ts";

export interface DetectedChanges {
  readonly changes: ChangeSet;
  readonly branch?: string;
  readonly head?: string;
}

/** Asked for one by one, because a commit needs neither. */
interface Looks {
  readonly status: () => Promise<Result<WorkTreeStatus>>;
  readonly comparison: () => Promise<Result<HeadComparison>>;
  readonly index?: string | undefined;
  readonly look: Repository["look"];
}

export async function changesIn(
  git: Git,
  query: ChangeQuery,
  looks: Looks,
): Promise<Result<DetectedChanges>> {
  const detected = query.staged
    ? await inIndex(git, looks)
    : query.commit === undefined
      ? await inWorkTree(looks)
      : await inCommit(git, query.commit);
  return detected.ok ? ok(withoutLogs(detected.value, query.logDir)) : detected;
}

export async function changesWithoutGit(git: Git, query: ChangeQuery): Promise<Result<DetectedChanges>> {
  const prefix = await git.ask(["rev-parse", "--show-prefix"]);
  if (!prefix.ok) return ok(everything(query, "git could not be started"));
  const { exitCode, stderr } = prefix.value;
  if (exitCode !== 0 && stderr.includes("not a git repository"))
    return ok(everything(query, "not in a git repository"));
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

async function inWorkTree(looks: Looks): Promise<Result<DetectedChanges>> {
  const [status, comparison] = await Promise.all([looks.status(), looks.comparison()]);
  if (!status.ok) return status;
  if (!comparison.ok) return comparison;
  const { branch, head, files } = status.value;
  const place = { branch, head };
  const { base, committed } = comparison.value;
  const { mergeBase, description, notes, uncheckedCommits } = base;
  if (head === undefined) {
    return ok({ changes: { comparedTo: "nothing (no commits yet)", files, notes: [] }, ...place });
  }
  const comparedTo = mergeBase === undefined ? description : `${description} (${mergeBase.slice(0, 7)})`;
  return ok({
    changes: {
      comparedTo,
      head,
      files: mergeFiles(committed, files),
      notes,
      baseCommit: mergeBase,
      uncheckedCommits,
    },
    ...place,
  });
}

/** What is staged. The gates see the work tree, so a difference is reported. */
async function inIndex(git: Git, { index, look }: Looks): Promise<Result<DetectedChanges>> {
  const files = await diffStaged(git, index);
  if (!files.ok) return files;
  const unstaged = new Set(await listUnstaged(git, index, look));
  const both = files.value.map(({ path }) => path).filter((path) => unstaged.has(path));
  const more = both.length > 1 ? ` and ${both.length - 1} more` : "";
  const notes =
    both.length === 0
      ? []
      : [
          `${both[0]}${more} changed again after \`git add\`: the gates look at the files as they are, not as they are staged.`,
        ];
  const head = await new Commits(git).resolve("HEAD");
  return ok({
    changes: {
      comparedTo: "the last commit (what is staged)",
      files: files.value,
      notes,
      head,
    },
  });
}

async function inCommit(git: Git, commit: string): Promise<Result<DetectedChanges>> {
  const commits = new Commits(git);
  const known = await commits.resolve(commit);
  if (known === undefined) return fail({ kind: "unknown-revision", revision: commit });
  const parent = await commits.resolve(`${known}^`);
  const before = parent === undefined ? await emptyTree(git) : ok(parent);
  if (!before.ok) return before;
  const files = await diffCommits(git, { from: before.value, to: known });
  if (!files.ok) return files;
  const name = `commit ${known.slice(0, 7)}`;
  const comparedTo = parent === undefined ? `nothing (${name} has no parent)` : `the parent of ${name}`;
  return ok({
    changes: { comparedTo, baseCommit: parent, commit: known, files: files.value, notes: [] },
  });
}

export async function workTreeStatus(repository: Repository): Promise<Result<WorkTreeStatus>> {
  const { git, places } = repository;
  try {
    const [output, hidden] = await Promise.all([
      lookAtEveryFile(repository, async (env) => {
        const status = [...STATUS, await submoduleOption(repository)];
        const alone = { ...env, ...WITHOUT_FETCHING };
        const found = await git.output([...status, "--find-renames", "--", "."], { env: alone });
        return found.ok ? found : git.output([...status, "--no-renames", "--", "."], { env }); // see diffCommits
      }),
      submodulesWithHiddenChanges(repository),
    ]);
    if (!output.ok) return output;
    if (!hidden.ok) return hidden;
    const status = parseStatus(output.value, places.prefix);
    const known = new Set<string>(status.files.map(({ path }) => path));
    const more = hidden.value
      .filter((name) => name.startsWith(places.prefix))
      .map((name) => projectPath(name.slice(places.prefix.length)))
      .filter((path) => !known.has(path));
    return ok({
      ...status,
      files: [
        ...status.files,
        ...more.map((path): ChangedFile => ({ path, change: "modified", isRepository: true })),
      ],
    });
  } catch (error) {
    return troubleOf("look at hidden files in", tmpdir(), error);
  }
}

const STATUS = [...LOOK_OPTIONS, "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"];

/** The work tree has the last word about a file; the old name of a renamed file stays changed. */
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
