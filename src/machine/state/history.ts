import { join } from "node:path";
import * as z from "zod/mini";
import {
  NEW_SESSION,
  type RunRecord,
  type SessionHistory,
  type WorkTreeHistory,
} from "../../core/history.ts";
import { type GateOutcome, OUTCOME_KINDS } from "../../core/outcome.ts";
import type { ProjectPath } from "../../core/path.ts";
import { STATUSES } from "../../core/status.ts";
import type { Result } from "../../core/trouble.ts";
import { listDirectory, removeFile } from "../files/files.ts";
import { jsonFile, type Stored } from "./json-file.ts";
import { readPass } from "./passes.ts";

const VERSION = 2;

const count = z.int().check(z.nonnegative());
const time = z.number().check(z.refine((value) => !Number.isNaN(new Date(value).getTime())));
const path = z.pipe(
  z.string(),
  z.transform((text) => text as ProjectPath), // as it was written
);
const gateRef = z.object({ kind: z.enum(["check", "review", "repl"]), scope: path, name: z.string() });

/** As much as anything reads of a stored outcome; the rest is kept as it is. */
const outcome = z.pipe(
  z
    .looseObject({
      id: z.string(),
      name: z.string(),
      kind: z.enum(OUTCOME_KINDS),
      durationMs: z.number(),
      afterMs: z.optional(z.number()),
    })
    .check(z.refine(({ kind, afterMs }) => kind !== "timed-out" || afterMs !== undefined)),
  z.transform((value) => value as unknown as GateOutcome), // we wrote it
);

const runRecord = z.object({
  number: count,
  status: z.enum(STATUSES),
  completedAt: time,
  branch: z.optional(z.string()),
  head: z.optional(z.string()),
  merged: z.boolean(),
  isPassLost: z.optional(z.boolean()),
  outcomes: z.array(outcome),
});

const workTree = jsonFile<Pick<WorkTreeHistory, "lastRun">>(
  VERSION,
  z.object({ lastRun: z.optional(runRecord) }) as never, // optional means absent in both
);

const told = z.object({
  essence: z.string(),
  problems: z.array(z.string()),
  since: z.optional(z.string()),
});

const session = jsonFile<SessionHistory>(
  VERSION,
  z.object({
    promptId: z.optional(z.string()),
    attempts: count,
    blocks: z.optional(count),
    sameFor: z.optional(count),
    openFailures: z.array(z.object({ gate: gateRef, runNumber: count, files: z.optional(z.array(path)) })),
    unavailableBlocks: z.optional(count),
    missing: z.optional(z.array(z.string())),
    gaveUpOn: z.optional(z.string()),
    deferredFor: z.optional(z.string()),
    told: z.record(z.string(), told),
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
  const { attempts, openFailures, gaveUpOn, deferredFor, missing } = history;
  const isEmpty =
    attempts === 0 &&
    openFailures.length === 0 &&
    gaveUpOn === undefined &&
    deferredFor === undefined &&
    missing === undefined;
  const file = sessionFile(stateDir, key);
  return isEmpty ? removeFile(file) : session.write(file, history);
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
