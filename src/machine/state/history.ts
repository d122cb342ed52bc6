import { join, basename, dirname } from "node:path";
import {
  NEW_SESSION,
  type RunRecord,
  type SessionHistory,
  type WorkTreeHistory,
  type PassRecord,
} from "../../core/record/history.ts";
import { OUTCOME_KINDS } from "../../core/outcome.ts";
import type { KeptState } from "../../core/record/session-record.ts";
import {
  isCount,
  isFlag,
  isNumber,
  isText,
  isTime,
  listOf,
  mapOf,
  objectOf,
  oneOf,
  textLike,
} from "../../core/shape.ts";
import type { Result } from "../../core/trouble.ts";
import {
  listDirectory,
  removeFile,
  discard,
  discardOldDrafts,
  makePrivateDirectory,
  namesIn,
  removeIfEmpty,
  troubleOf,
} from "../files/files.ts";
import { jsonFile, type Stored } from "./json-file.ts";
import { sha256 } from "#runtime";
import { existsSync, renameSync, statSync } from "node:fs";

const VERSION = 2;

const isGateRef = objectOf({ kind: oneOf("check", "review", "repl"), scope: isText, name: isText });

const isNamed = objectOf(
  { id: isText, name: isText, kind: oneOf(...OUTCOME_KINDS), durationMs: isNumber },
  { afterMs: isNumber },
);

/** As much as anything reads of a stored outcome. */
const isOutcome = (value: unknown): value is unknown =>
  isNamed(value) && (value.kind !== "timed-out" || value.afterMs !== undefined);

const workTree = jsonFile<Pick<WorkTreeHistory, "lastRun">>(
  VERSION,
  objectOf(
    {},
    {
      lastRun: objectOf(
        { number: isCount, completedAt: isTime, merged: isFlag, outcomes: listOf(isOutcome) },
        { branch: isText, head: isText, isPassLost: isFlag },
      ),
    },
  ),
);

const session = jsonFile<SessionHistory>(
  VERSION,
  objectOf(
    {
      attempts: isCount,
      openFailures: listOf(objectOf({ gate: isGateRef, runNumber: isCount }, { files: listOf(isText) })),
      told: mapOf(objectOf({ essence: isText, problems: listOf(isText) }, { since: isText })),
    },
    {
      promptId: isText,
      blocks: isCount,
      sameFor: isCount,
      openGuards: listOf(objectOf({ id: isText, runNumber: isCount })),
      unavailableBlocks: isCount,
      missing: listOf(isText),
      gaveUpOn: isText,
      deferredFor: isText,
    },
  ),
);

/** The last run is kept in the project's log directory, its last pass in the user's state directory. */
export function readWorkTree(stateDir: string, passDir: string): Stored<WorkTreeHistory> {
  const last = readLastRun(stateDir);
  const pass = readPass(passDir);
  const warning = last.warning ?? pass.warning;
  return {
    value: {
      ...(last.value === undefined ? {} : { lastRun: last.value }),
      ...(pass.value === undefined ? {} : { pass: pass.value }),
    },
    ...(warning === undefined ? {} : { warning }),
  };
}

export function readLastRun(stateDir: string): Stored<RunRecord | undefined> {
  const { value, ...warning } = workTree.read(workTreeFile(stateDir));
  return { value: value?.lastRun, ...warning };
}

export function writeLastRun(stateDir: string, lastRun: RunRecord): Result<void> {
  return workTree.write(workTreeFile(stateDir), { lastRun });
}

function workTreeFile(stateDir: string): string {
  return join(stateDir, "work-tree.json");
}

export function readSession(stateDir: string, key: string): Stored<SessionHistory> {
  const { value = NEW_SESSION, ...warning } = session.read(sessionFile(stateDir, key));
  return { value, ...warning };
}

/** A session with nothing to remember leaves no file. */
export function writeSession(stateDir: string, key: string, history: SessionHistory): Result<void> {
  const file = sessionFile(stateDir, key);
  return isEmpty(history) ? removeFile(file) : session.write(file, history);
}

function isEmpty({ attempts, openFailures, gaveUpOn, deferredFor, missing }: SessionHistory): boolean {
  return (
    attempts === 0 &&
    openFailures.length === 0 &&
    gaveUpOn === undefined &&
    deferredFor === undefined &&
    missing === undefined
  );
}

/** What tells a history from another once it was written and is read again. */
export function keptState(
  { root, logDir }: { readonly root: string; readonly logDir: string },
  history: SessionHistory,
): KeptState {
  const { attempts, openFailures } = history;
  const digest = sha256(JSON.stringify(isEmpty(history) ? NEW_SESSION : history, inOrder));
  return { root, logDir, digest, attempts, open: openFailures.length };
}

/** The same facts may have been put together in another order. */
function inOrder(_key: string, value: unknown): unknown {
  const isPlain = typeof value === "object" && value !== null && !Array.isArray(value);
  return isPlain ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
}

/** Every session with something to remember. */
export function listSessions(
  stateDir: string,
): readonly (Stored<SessionHistory> & { readonly id: string })[] {
  const names = listDirectory(stateDir);
  const ids = (names.ok ? names.value : []).flatMap((name) => /^session-(.+)\.json$/.exec(name)?.[1] ?? []);
  return ids.map((id) => ({ id, ...readSession(stateDir, id) }));
}

function sessionFile(stateDir: string, key: string): string {
  return join(stateDir, `session-${key}.json`);
}

const passFile = jsonFile<PassRecord>(
  1,
  objectOf(
    {
      runNumber: isCount,
      tree: textLike(/^[\w-]{1,80}$/),
      gateHash: isText,
      status: oneOf("passed", "passed_with_warnings"),
      at: isTime,
    },
    { baseCommit: isText, fingerprint: isText, head: isText, since: isText },
  ),
);

/** An unreadable state directory holds no pass; that none can be saved is reported when there is one to save. */
export function readPass(passDir: string): Stored<PassRecord | undefined> {
  return namesIn(passDir).length === 0 ? { value: undefined } : passFile.read(recordIn(passDir));
}

/** Keeps a pass, and the index of its tree, in place of the one before; without the index the gates of a later stop run again. */
export function writePass(
  passDir: string,
  pass: PassRecord,
  keepIndexAt: (path: string) => void,
): Result<void> {
  try {
    makePrivateDirectory(passDir);
    const names = namesIn(passDir);
    discardOldDrafts(passDir, names);
    for (const name of names.filter(isIndex)) discard(join(passDir, name));
    keepIndex(passIndexOf(passDir, pass.tree), keepIndexAt);
    if (!names.includes(RECORD)) forgetOldest(dirname(passDir), basename(passDir));
  } catch (error) {
    return troubleOf("write", passDir, error);
  }
  return passFile.write(recordIn(passDir), pass);
}

/** The index of the tree that passed, by which git tells whether anything changed since. Its name is in the record of that pass alone. */
export function passIndexOf(passDir: string, tree: string): string {
  return join(passDir, `pass-${tree}.index`);
}

/** Some trees have no index that could be kept. */
function keepIndex(kept: string, keepAt: (path: string) => void): void {
  const draft = `${kept}.tmp`;
  keepAt(draft);
  if (existsSync(draft)) renameSync(draft, kept);
}

/** Keeps the ledger in the same directory. */
export function forgetPass(passDir: string): void {
  discard(recordIn(passDir));
  for (const name of namesIn(passDir).filter(isIndex)) discard(join(passDir, name));
}

function isIndex(name: string): boolean {
  return /^pass-.*\.index(?:\.tmp)?$/.test(name);
}

const RECORD = "pass.json";

function recordIn(passDir: string): string {
  return join(passDir, RECORD);
}

const KEPT_PROJECTS = 200;

/** A project that is gone never says so. Its ledger stays: one that vanished would look like one that was tampered with. */
function forgetOldest(directory: string, current: string): void {
  const names = namesIn(directory).filter((name) => name !== current);
  if (names.length < KEPT_PROJECTS) return;
  const byAge = names
    .map((name) => ({ name, at: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((one, other) => other.at - one.at);
  for (const { name } of byAge.slice(KEPT_PROJECTS / 2)) {
    forgetPass(join(directory, name));
    removeIfEmpty(join(directory, name));
  }
}
