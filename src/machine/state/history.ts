import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { NEW_SESSION, type SessionHistory, type WorkTreeHistory } from "../../core/history.ts";
import { type GateOutcome, OUTCOME_KINDS } from "../../core/outcome.ts";
import type { ProjectPath } from "../../core/path.ts";
import { STATUSES } from "../../core/status.ts";
import type { Result } from "../../core/trouble.ts";
import { discard, listDirectory, removeFile } from "../files/files.ts";
import { jsonFile, type Stored } from "./json-file.ts";

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
  outcomes: z.array(outcome),
});

const passRecord = z.object({
  runNumber: count,
  tree: z.string().check(z.regex(/^[\w-]{1,80}$/)),
  fingerprint: z.optional(z.string()),
  gateHash: z.string(),
  baseCommit: z.optional(z.string()),
  head: z.optional(z.string()),
  status: z.enum(["passed", "passed_with_warnings"]),
  at: time,
});

const workTree = jsonFile<WorkTreeHistory>(
  VERSION,
  z.object({ lastRun: z.optional(runRecord), pass: z.optional(passRecord) }) as never, // optional means absent in both
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

export function readWorkTree(stateDir: string): Stored<WorkTreeHistory> {
  const { value = {}, ...warning } = workTree.read(workTreeFile(stateDir));
  return { value, ...warning };
}

export function writeWorkTree(stateDir: string, history: WorkTreeHistory): Result<void> {
  return workTree.write(workTreeFile(stateDir), history);
}

function workTreeFile(stateDir: string): string {
  return join(stateDir, "work-tree.json");
}

/** The index of the tree that passed, by which git tells whether anything changed since. Its name is in the record of that pass alone. */
export function passIndexOf(stateDir: string, tree: string): string {
  return join(stateDir, `pass-${tree}.index`);
}

/** Keeps the index of a tree that passed in place of the one before. Without it, the gates of a later stop run again. */
export function keepPassIndex(stateDir: string, tree: string, keepAt: (path: string) => void): void {
  const kept = passIndexOf(stateDir, tree);
  const draft = `${kept}.tmp`;
  try {
    for (const name of readdirSync(stateDir))
      if (/^pass-.*\.index(?:\.tmp)?$/.test(name)) discard(join(stateDir, name));
    keepAt(draft);
    renameSync(draft, kept);
  } catch {
    discard(kept);
  }
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
