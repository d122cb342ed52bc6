import { statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Findings } from "../../core/baseline/baseline.ts";
import { type BaselineEntry, readBaselineText } from "../../core/baseline/baseline-file.ts";
import { isCount, isFlag, isText, listOf, objectOf, oneOf } from "../../core/shape.ts";
import { fail, ok, type Result } from "../../core/trouble.ts";
import { discard, makePrivateDirectory, namesIn, readText } from "../files/files.ts";
import type { Environment } from "../process/environment.ts";
import { jsonFile } from "../state/json-file.ts";
import { ledgerOf } from "../state/ledger.ts";
import { projectStateDir } from "../state/state-keys.ts";
import { cacheDirectory } from "../state/user-cache.ts";

/** Where a project keeps the problems that it lives with. */
export const BASELINE_FILE = ".gauntlet/baseline.json";

const MAX_BYTES = 16 * 1024 * 1024;

/** The committed baseline; undefined if missing. */
export function readBaseline(root: string): Result<readonly BaselineEntry[] | undefined> {
  const path = join(root, BASELINE_FILE);
  const text = readText(path, MAX_BYTES);
  if (!text.ok) return text.trouble.kind === "file-missing" ? ok(undefined) : text;
  const entries = readBaselineText(text.value);
  return typeof entries === "string"
    ? fail({ kind: "file-failed", action: "use", path: BASELINE_FILE, detail: entries })
    : ok(entries);
}

const isEntry = objectOf(
  { gate: isText, count: isCount },
  {
    file: isText,
    code: isText,
    test: isText,
    severity: oneOf("warning"),
    message: isText,
    unread: isText,
    output: isText,
    ended: isText,
  },
);

const accepted = jsonFile<readonly BaselineEntry[]>(1, listOf(isEntry));

/** What a user accepted at a terminal of this machine: an agent that edits the committed file cannot add to it. */
export function readAccepted(root: string, env: Environment): readonly BaselineEntry[] {
  return accepted.read(acceptedFile(root, env)).value ?? [];
}

export function writeAccepted(
  root: string,
  env: Environment,
  entries: readonly BaselineEntry[],
): Result<void> {
  makePrivateDirectory(projectStateDir(root, env));
  return accepted.write(acceptedFile(root, env), entries);
}

function acceptedFile(root: string, env: Environment): string {
  return join(projectStateDir(root, env), "baseline.json");
}

const isProblem = objectOf({ severity: oneOf("error", "warning"), message: isText });

const findings = jsonFile<Findings>(
  1,
  objectOf(
    {
      problems: listOf(objectOf({ key: isText, problem: isProblem })),
      isAllRead: isFlag,
      unread: listOf(isText),
    },
    { output: isText, ended: isText },
  ),
);

const FOLDER = "baselines";
const KEPT = 200;

/** One entry of the cache: of a project, in any of its work trees. */
interface FoundAt {
  readonly root: string;
  readonly env: Environment;
  readonly key: string;
}

/** What a check found on a tree, if it was run there before. */
export function readFound({ root, env, key }: FoundAt): Findings | undefined {
  return findings.read(join(cacheDirectory(env, FOLDER), `${ownerOf(root, env)}${key}.json`)).value;
}

/** A cache that cannot be written only costs time. */
export function writeFound({ root, env, key }: FoundAt, found: Findings): void {
  const directory = cacheDirectory(env, FOLDER);
  try {
    makePrivateDirectory(directory);
  } catch {
    return;
  }
  findings.write(join(directory, `${ownerOf(root, env)}${key}.json`), found);
  forgetOldest(directory);
}

/** Removes what was found in any tree of a project. */
export function forgetFound(root: string, env: Environment): void {
  const directory = cacheDirectory(env, FOLDER);
  const owner = ownerOf(root, env);
  for (const name of namesIn(directory)) if (name.startsWith(owner)) discard(join(directory, name));
}

function ownerOf(root: string, env: Environment): string {
  return `${basename(ledgerOf(root, env).directory)}-`;
}

function forgetOldest(directory: string): void {
  const names = namesIn(directory);
  if (names.length <= KEPT) return;
  const byAge = names
    .map((name) => ({ name, at: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((one, other) => other.at - one.at);
  for (const { name } of byAge.slice(KEPT / 2)) discard(join(directory, name));
}
