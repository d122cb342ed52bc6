import { basename, join } from "node:path";
import type { Findings } from "./compare-findings.ts";
import { type CommittedBaseline, EMPTY_BASELINE, isEntry, readBaselineText } from "./baseline-file.ts";
import { isCount, isFlag, isText, listOf, mapOf, objectOf, oneOf } from "../../shape.ts";
import { fail, ok, type Result } from "../../trouble.ts";
import { discard, keepNewest, makePrivateDirectory, namesIn, readText } from "../../system/files/files.ts";
import type { Environment } from "../../system/process/environment.ts";
import { jsonFile } from "../../system/state/json-file.ts";
import { ledgerOf } from "../../ledger/ledger.ts";
import { projectStateDir } from "../../system/state/state-keys.ts";
import { cacheDirectory } from "../../system/state/user-cache.ts";

export const BASELINE_FILE = ".gauntlet/baseline.json";

const MAX_BYTES = 16 * 1024 * 1024;

export function readBaseline(root: string): Result<CommittedBaseline | undefined> {
  const path = join(root, BASELINE_FILE);
  const text = readText(path, MAX_BYTES);
  if (!text.ok) return text.trouble.kind === "file-missing" ? ok(undefined) : text;
  const baseline = readBaselineText(text.value);
  return typeof baseline === "string"
    ? fail({ kind: "file-failed", action: "use", path: BASELINE_FILE, detail: baseline })
    : ok(baseline);
}

const accepted = jsonFile<CommittedBaseline>(2, objectOf({ entries: listOf(isEntry), ran: mapOf(isCount) }));

/** What a user accepted at a terminal of this machine. An agent that edits the committed file cannot add to it. */
export function readAccepted(root: string, env: Environment): CommittedBaseline {
  return accepted.read(acceptedFile(root, env)).value ?? EMPTY_BASELINE;
}

export function writeAccepted(root: string, env: Environment, baseline: CommittedBaseline): Result<void> {
  makePrivateDirectory(projectStateDir(root, env));
  return accepted.write(acceptedFile(root, env), baseline);
}

function acceptedFile(root: string, env: Environment): string {
  return join(projectStateDir(root, env), "baseline.json");
}

const isProblem = objectOf({ severity: oneOf("error", "warning"), message: isText });

const findings = jsonFile<Findings>(
  2,
  objectOf(
    {
      problems: listOf(objectOf({ key: isText, problem: isProblem })),
      isAllRead: isFlag,
      unread: listOf(isText),
    },
    { output: isText, ended: isText, ran: isCount, endedEarly: isText },
  ),
);

const FOLDER = "baselines";
const KEPT = 200;

export function readFound(root: string, env: Environment, key: string): Findings | undefined {
  return findings.read(foundFile(root, env, key)).value;
}

export function writeFound(root: string, env: Environment, key: string, found: Findings): void {
  const directory = cacheDirectory(env, FOLDER);
  try {
    makePrivateDirectory(directory);
  } catch {
    return;
  }
  findings.write(foundFile(root, env, key), found);
  keepNewest(directory, KEPT);
}

function foundFile(root: string, env: Environment, key: string): string {
  return join(cacheDirectory(env, FOLDER), `${ownerOf(root, env)}${key}.json`);
}

export function forgetFound(root: string, env: Environment): void {
  const directory = cacheDirectory(env, FOLDER);
  const owner = ownerOf(root, env);
  for (const name of namesIn(directory)) if (name.startsWith(owner)) discard(join(directory, name));
}

function ownerOf(root: string, env: Environment): string {
  return `${basename(ledgerOf(root, env).directory)}-`;
}
