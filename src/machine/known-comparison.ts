import packageJson from "../../package.json" with { type: "json" };
import type { Result } from "../core/trouble.ts";
import { ok } from "../core/trouble.ts";
import type { ChangeQuery } from "./comparison-base.ts";
import { stampOfProgram } from "./file-stamp.ts";
import { placesByLayout } from "./git-places.ts";
import { compareHead, type HeadComparison } from "./head-comparison.ts";
import { type RefState, refState } from "./ref-state.ts";
import { readCacheFile, writeCacheFile } from "./user-cache.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Kept in the person's own cache: a project that could write it could hide its changes. */
const FOLDER = "comparisons";
/** More would take longer to read than to ask for. */
const MOST_FILES = 2_000;

/** `compareHead`, remembered while no ref moves: asking git takes a process or two, each time with the same answer. */
export async function compareHeadQuickly(
  query: ChangeQuery,
  env: Environment,
): Promise<Result<HeadComparison>> {
  const state = stateFor(query);
  if (state === undefined) return compareHead(query);
  const key = JSON.stringify([packageJson.version, stampOfProgram(), query, state.key]);
  const entry = readCacheFile(env, FOLDER, query.root);
  if (isEntry(entry) && entry.key === key) return ok(entry.comparison);
  const before = state.moment();
  const comparison = await compareHead(query);
  const isWorthIt = comparison.ok && comparison.value.committed.length <= MOST_FILES;
  const hasStoodStill = stateFor(query)?.key === state.key && state.moment() === before;
  if (isWorthIt && state.isSettled && hasStoodStill) {
    const value: Entry = { key, comparison: comparison.value };
    writeCacheFile(env, { folder: FOLDER, name: query.root, value });
  }
  return comparison;
}

/** Undefined where the answer depends on more than the refs that can be read here. */
function stateFor({ root, base, baseBranch, commit, uncommitted }: ChangeQuery): RefState | undefined {
  if (base !== undefined || commit !== undefined || uncommitted) return undefined;
  const bare = baseBranch.replace(/^origin\//, "");
  try {
    const places = placesByLayout(root);
    return places && refState(places, [baseBranch, bare, `origin/${bare}`]);
  } catch {
    return undefined;
  }
}

interface Entry {
  readonly key: string;
  readonly comparison: HeadComparison;
}

/** Enough to tell our own file from another; what is inside came from git. */
function isEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const { key, comparison } = value as Partial<Record<keyof Entry, unknown>>; // checked right here
  return typeof key === "string" && typeof comparison === "object" && comparison !== null;
}
