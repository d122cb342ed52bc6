import packageJson from "../../../../package.json" with { type: "json" };
import type { ChangedFile } from "../change-set.ts";
import { ok, type Result } from "../../../trouble.ts";
import type { Environment } from "../../process/environment.ts";
import { readCacheFile, writeCacheFile } from "../../state/user-cache.ts";
import { type ChangeQuery, Commits, type ComparisonBase, comparisonBase } from "./base.ts";
import { type Git, objectsEnv, splitNul, WITHOUT_FETCHING } from "../git.ts";
import type { GitPlaces } from "../places.ts";
import { parseRawDiff } from "../read-output.ts";
import { type RefState, refState } from "./ref-state.ts";
import type { Repository } from "../repository.ts";

export interface HeadComparison {
  readonly base: ComparisonBase;
  readonly committed: readonly ChangedFile[];
}

export async function compareHead(git: Git, query: ChangeQuery): Promise<Result<HeadComparison>> {
  const base = await comparisonBase(git, query);
  if (!base.ok) return base;
  const committed = await committedSince(git, base.value.mergeBase);
  return committed.ok ? ok({ base: base.value, committed: committed.value }) : committed;
}

/** On a branch without commits nothing; only then may the comparison fail. */
async function committedSince(
  git: Git,
  mergeBase: string | undefined,
): Promise<Result<readonly ChangedFile[]>> {
  if (mergeBase === undefined) return ok([]);
  const committed = await diffCommits(git, { from: mergeBase, to: "HEAD" });
  if (committed.ok) return committed;
  const repo = new Commits(git);
  const head = await repo.resolve("HEAD");
  return head === undefined && repo.trouble === undefined ? ok([]) : committed;
}

const DIFF_OPTIONS = [
  "--raw",
  "--no-abbrev",
  "-z",
  "--no-ext-diff",
  "--relative",
  "--ignore-submodules=none",
];

/** To find renames git reads files, which a partial clone may lack. */
export async function diffCommits(
  git: Git,
  { from, to, objects = [] }: { from: string; to: string; objects?: readonly string[] },
): Promise<Result<readonly ChangedFile[]>> {
  const ask = (renames: string, env = objectsEnv(objects)) =>
    git.output(["diff", ...DIFF_OPTIONS, renames, from, to, "--", "."], { env });
  const found = await ask("--find-renames", { ...objectsEnv(objects), ...WITHOUT_FETCHING });
  const output = found.ok ? found : await ask("--no-renames");
  return output.ok ? ok(parseRawDiff(output.value)) : output;
}

/** What the next commit changes. In a hook git may commit from another index. */
export async function diffStaged(
  git: Git,
  index: string | undefined,
): Promise<Result<readonly ChangedFile[]>> {
  const args = ["diff", "--cached", ...DIFF_OPTIONS, "--find-renames", "--", "."];
  const output = await git.output(args, { env: readingIndex(index) });
  return output.ok ? ok(parseRawDiff(output.value)) : output;
}

function readingIndex(index: string | undefined): Readonly<Record<string, string>> {
  return index === undefined ? {} : { GIT_INDEX_FILE: index };
}

export async function listUnstaged(
  git: Git,
  index: string | undefined,
  look: Repository["look"],
): Promise<readonly string[]> {
  const args = ["diff", "--name-only", "-z", "--no-ext-diff", "--relative", "--", "."];
  const output = await look((env) => git.output(args, { env: { ...env, ...readingIndex(index) } }));
  return output.ok ? splitNul(output.value) : [];
}

/** In the user's cache: an agent that could write it could hide changes. */
const FOLDER = "comparisons";
const MOST_FILES = 2_000;

/** `compareHead`, remembered while no ref moves. It saves two processes of git, each stop. */
export async function compareHeadQuickly(
  { git, places, readRef }: Repository,
  query: ChangeQuery,
  env: Environment,
): Promise<Result<HeadComparison>> {
  const state = stateFor(places, query, readRef);
  if (state === undefined) return compareHead(git, query);
  const key = JSON.stringify([packageJson.version, query, state.key]);
  const entry = readCacheFile(env, FOLDER, query.root);
  if (isEntry(entry) && entry.key === key) return ok(entry.comparison);
  const before = state.moment();
  const comparison = await compareHead(git, query);
  const isWorthIt = comparison.ok && comparison.value.committed.length <= MOST_FILES;
  const hasStoodStill = stateFor(places, query)?.key === state.key && state.moment() === before;
  if (isWorthIt && state.isSettled && hasStoodStill) {
    const value: Entry = { key, comparison: comparison.value };
    writeCacheFile(env, { folder: FOLDER, name: query.root, value });
  }
  return comparison;
}

function stateFor(
  places: GitPlaces,
  { base, baseBranch, commit, uncommitted }: ChangeQuery,
  read?: Repository["readRef"],
): RefState | undefined {
  if (base !== undefined || commit !== undefined || uncommitted) return undefined;
  const bare = baseBranch.replace(/^origin\//, "");
  try {
    return refState(places, [baseBranch, bare, `origin/${bare}`], read);
  } catch {
    return undefined;
  }
}

interface Entry {
  readonly key: string;
  readonly comparison: HeadComparison;
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const { key, comparison } = value as Partial<Record<keyof Entry, unknown>>; // checked right here
  return typeof key === "string" && typeof comparison === "object" && comparison !== null;
}
