import { join } from "node:path";
import * as v from "valibot";
import {
  NEW_SESSION,
  type RunRecord,
  type SessionHistory,
  type WorkTreeHistory,
} from "../../core/record/history.ts";
import { type GateOutcome, OUTCOME_KINDS } from "../../core/outcome.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { KeptState } from "../../core/record/session-record.ts";
import type { Result } from "../../core/trouble.ts";
import { listDirectory, removeFile } from "../files/files.ts";
import { jsonFile, type Stored } from "./json-file.ts";
import { readPass } from "./passes.ts";
import { sha256 } from "#hash";

const VERSION = 2;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const time = v.pipe(
  v.number(),
  v.check((value) => !Number.isNaN(new Date(value).getTime())),
);
const path = v.pipe(
  v.string(),
  v.transform((text) => text as ProjectPath), // as it was written
);
const gateRef = v.object({ kind: v.picklist(["check", "review", "repl"]), scope: path, name: v.string() });

/** As much as anything reads of a stored outcome; the rest is kept as it is. */
const outcome = v.pipe(
  v.looseObject({
    id: v.string(),
    name: v.string(),
    kind: v.picklist(OUTCOME_KINDS),
    durationMs: v.number(),
    afterMs: v.optional(v.number()),
  }),
  v.check(({ kind, afterMs }) => kind !== "timed-out" || afterMs !== undefined),
  v.transform((value) => value as unknown as GateOutcome), // we wrote it
);

const runRecord = v.object({
  number: count,
  completedAt: time,
  branch: v.optional(v.string()),
  head: v.optional(v.string()),
  merged: v.boolean(),
  isPassLost: v.optional(v.boolean()),
  outcomes: v.array(outcome),
});

const workTree = jsonFile<Pick<WorkTreeHistory, "lastRun">>(
  VERSION,
  v.object({ lastRun: v.optional(runRecord) }) as never, // optional means absent in both
);

const told = v.object({
  essence: v.string(),
  problems: v.array(v.string()),
  since: v.optional(v.string()),
});

const session = jsonFile<SessionHistory>(
  VERSION,
  v.object({
    promptId: v.optional(v.string()),
    attempts: count,
    blocks: v.optional(count),
    sameFor: v.optional(count),
    openFailures: v.array(v.object({ gate: gateRef, runNumber: count, files: v.optional(v.array(path)) })),
    openGuards: v.optional(v.array(v.object({ id: v.string(), runNumber: count }))),
    unavailableBlocks: v.optional(count),
    missing: v.optional(v.array(v.string())),
    gaveUpOn: v.optional(v.string()),
    deferredFor: v.optional(v.string()),
    told: v.record(v.string(), told),
  }) as never, // optional means absent in both
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
export function keptState(root: string, history: SessionHistory): KeptState {
  const { attempts, openFailures } = history;
  const digest = sha256(JSON.stringify(isEmpty(history) ? NEW_SESSION : history, inOrder));
  return { root, digest, attempts, open: openFailures.length };
}

/** An object has its members in the order of the schema once it was read. */
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
