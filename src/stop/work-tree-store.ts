import { basename, dirname, join } from "node:path";
import { OUTCOME_KINDS } from "../gates/outcome.ts";
import { isCount, isFlag, isNumber, isText, isTime, listOf, objectOf, oneOf, textLike } from "../shape.ts";
import type { Result } from "../trouble.ts";
import {
  discard,
  discardOldDrafts,
  makePrivateDirectory,
  namesIn,
  oldestOf,
  renameOver,
  removeIfEmpty,
  troubleOf,
} from "../system/files/files.ts";
import type { PassIndex } from "../system/git/index-file.ts";
import { jsonFile, type Stored } from "../system/state/json-file.ts";
import type { PassRecord, RunRecord, WorkTreeHistory } from "./passes.ts";

const isNamed = objectOf(
  { id: isText, name: isText, kind: oneOf(...OUTCOME_KINDS), durationMs: isNumber },
  { afterMs: isNumber },
);

/** As much as anything reads of a stored outcome. */
const isOutcome = (value: unknown): value is unknown =>
  isNamed(value) && (value.kind !== "timed-out" || value.afterMs !== undefined);

const lastRunFile = jsonFile<RunRecord>(
  3,
  objectOf(
    { number: isCount, completedAt: isTime, merged: isFlag, outcomes: listOf(isOutcome) },
    { branch: isText, head: isText, isPassLost: isFlag },
  ),
);

/** The last run and the last pass of a work tree, in the user's state directory. */
export function readWorkTree(directory: string): Stored<WorkTreeHistory> {
  const lastRun = readLastRun(directory);
  const pass = readPass(directory);
  return {
    value: { lastRun: lastRun.value, pass: pass.value },
    warning: lastRun.warning ?? pass.warning,
  };
}

export function readLastRun(directory: string): Stored<RunRecord | undefined> {
  return namesIn(directory).length === 0 ? { value: undefined } : lastRunFile.read(lastRunIn(directory));
}

export function writeLastRun(directory: string, lastRun: RunRecord): Result<void> {
  try {
    makePrivateDirectory(directory);
  } catch (error) {
    return troubleOf("write", directory, error);
  }
  return lastRunFile.write(lastRunIn(directory), lastRun);
}

function lastRunIn(directory: string): string {
  return join(directory, "last-run.json");
}

const passFile = jsonFile<PassRecord>(
  1,
  objectOf(
    {
      runNumber: isCount,
      indexName: textLike(/^[\w-]{1,80}$/),
      key: objectOf({ gates: isText, environment: isText, programs: isText }),
      passed: listOf(isText),
      status: oneOf("passed", "passed_with_warnings"),
      at: isTime,
    },
    {
      index: isText,
      baseCommit: isText,
      fingerprint: isText,
      sizes: isText,
      head: isText,
      since: isText,
      ignoreFiles: listOf(isText),
      isAhead: isFlag,
    },
  ),
);

/** A state directory that cannot be read holds no pass; that none can be saved is reported when there is one to save. */
export function readPass(directory: string): Stored<PassRecord | undefined> {
  return namesIn(directory).length === 0 ? { value: undefined } : passFile.read(recordIn(directory));
}

/** Keeps a pass, and the index of its tree, in place of the one before; without the index the gates of a later stop run again. */
export function writePass(
  directory: string,
  pass: Omit<PassRecord, "index">,
  keepIndexAt: (path: string) => string | undefined,
): Result<void> {
  let index: string | undefined;
  try {
    makePrivateDirectory(directory);
    const names = namesIn(directory);
    discardOldDrafts(directory, names);
    for (const name of names.filter(isIndex)) discard(join(directory, name));
    index = keepIndex(indexIn(directory, pass.indexName), keepIndexAt);
    if (!names.includes(RECORD)) forgetOldest(dirname(directory), basename(directory));
  } catch (error) {
    return troubleOf("write", directory, error);
  }
  return passFile.write(recordIn(directory), { ...pass, index });
}

/** The index of the tree that passed, by which git tells whether anything changed since. Its name is in the record of that pass alone. */
export function passIndexOf(directory: string, pass: PassRecord): PassIndex | undefined {
  return pass.index === undefined
    ? undefined
    : {
        path: indexIn(directory, pass.indexName),
        hash: pass.index,
        ignoreFiles: pass.ignoreFiles ?? [],
      };
}

function indexIn(directory: string, indexName: string): string {
  return join(directory, `pass-${indexName}.index`);
}

/** Returns its hash. Some trees have no index that could be kept. */
function keepIndex(kept: string, keepAt: (path: string) => string | undefined): string | undefined {
  const draft = `${kept}.tmp`;
  const hash = keepAt(draft);
  if (hash !== undefined) renameOver(draft, kept);
  return hash;
}

/** Keeps the ledger, which is in the same directory. */
export function forgetWorkTree(directory: string): void {
  discard(lastRunIn(directory));
  discard(recordIn(directory));
  for (const name of namesIn(directory).filter(isIndex)) discard(join(directory, name));
}

function isIndex(name: string): boolean {
  return /^pass-.*\.index(?:\.tmp)?$/.test(name);
}

const RECORD = "pass.json";

function recordIn(directory: string): string {
  return join(directory, RECORD);
}

const KEPT_PROJECTS = 200;

/** A project that is gone never says so. Its ledger stays: one that vanished would look like one that was tampered with. */
function forgetOldest(directory: string, current: string): void {
  const names = namesIn(directory).filter((name) => name !== current);
  if (names.length < KEPT_PROJECTS) return;
  for (const name of oldestOf(directory, names, KEPT_PROJECTS / 2)) {
    forgetWorkTree(join(directory, name));
    removeIfEmpty(join(directory, name));
  }
}
