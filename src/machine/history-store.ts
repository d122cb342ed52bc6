import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { NEW_SESSION, type SessionHistory, type WorkTreeHistory } from "../core/history.ts";
import { OUTCOME_KINDS } from "../core/outcome.ts";
import { STATUSES } from "../core/status.ts";
import type { Result } from "../core/trouble.ts";
import { listDirectory, readText, removeFile, writeFileAtomic } from "./files.ts";
import { now } from "./clock.ts";
import { discard } from "./discard.ts";

/** Raised whenever a stored shape changes; a file of any other version counts as absent. */
const VERSION = 1;

/** A history read from disk; whatever cannot be trusted counts as absent, with a warning. */
export interface Stored<T> {
  readonly value: T;
  readonly warning?: string;
}

export function readWorkTree(stateDir: string): Stored<WorkTreeHistory> {
  return readState(join(stateDir, "work-tree.json"), {}, isWorkTree);
}

export function writeWorkTree(stateDir: string, history: WorkTreeHistory): Result<void> {
  return writeState(join(stateDir, "work-tree.json"), history);
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
  return readState(sessionFile(stateDir, key), NEW_SESSION, isSession);
}

/** A session with nothing to remember leaves no file. */
export function writeSession(stateDir: string, key: string, history: SessionHistory): Result<void> {
  const { attempts, openFailures, gaveUpOn, deferredFor } = history;
  const isEmpty =
    attempts === 0 && openFailures.length === 0 && gaveUpOn === undefined && deferredFor === undefined;
  const path = sessionFile(stateDir, key);
  return isEmpty ? removeFile(path) : writeState(path, history);
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

function readState<T>(path: string, absent: T, isValid: (value: unknown) => value is T): Stored<T> {
  const text = readText(path, MAX_STATE_BYTES);
  if (!text.ok && text.trouble.kind === "file-missing") return { value: absent };
  if (!text.ok && text.trouble.kind === "file-failed")
    return { value: absent, warning: `Ignored the state in ${path}: ${text.trouble.detail}.` };
  const envelope = text.ok ? parseJson(text.value) : undefined;
  if (!isRecord(envelope) || envelope["version"] !== VERSION || !isValid(envelope["state"])) {
    return { value: absent, warning: `Ignored the state in ${path}: it is damaged or of another version.` };
  }
  if (typeof envelope["writtenAt"] !== "number" || envelope["writtenAt"] > now() + CLOCK_SLACK_MS) {
    return { value: absent, warning: `Ignored the state in ${path}: it is dated in the future.` };
  }
  return { value: envelope["state"] };
}

const MAX_STATE_BYTES = 16 * 1024 * 1024;
/** Clocks of machines that share a directory differ a little. */
const CLOCK_SLACK_MS = 60_000;

function writeState(path: string, state: unknown): Result<void> {
  return writeFileAtomic(path, `${JSON.stringify({ version: VERSION, writtenAt: now(), state })}\n`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isWorkTree(value: unknown): value is WorkTreeHistory {
  if (!isRecord(value)) return false;
  const { lastRun, pass } = value;
  return (lastRun === undefined || isRunRecord(lastRun)) && (pass === undefined || isPassRecord(pass));
}

function isRunRecord(value: unknown): boolean {
  return (
    isRecord(value) &&
    isCount(value["number"]) &&
    isOneOf(STATUSES, value["status"]) &&
    isTime(value["completedAt"]) &&
    Array.isArray(value["outcomes"]) &&
    value["outcomes"].every(isOutcome)
  );
}

/** As much as anybody reads of a stored outcome. */
function isOutcome(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value["id"] === "string" &&
    typeof value["name"] === "string" &&
    isOneOf(OUTCOME_KINDS, value["kind"]) &&
    typeof value["durationMs"] === "number" &&
    (value["kind"] !== "timed-out" || typeof value["afterMs"] === "number")
  );
}

function isPassRecord(value: unknown): boolean {
  return (
    isRecord(value) &&
    isCount(value["runNumber"]) &&
    typeof value["tree"] === "string" &&
    /^[\w-]{1,80}$/.test(value["tree"]) &&
    typeof value["gateHash"] === "string" &&
    (value["status"] === "passed" || value["status"] === "passed_with_warnings") &&
    isTime(value["at"])
  );
}

function isSession(value: unknown): value is SessionHistory {
  return (
    isRecord(value) &&
    isCount(value["attempts"]) &&
    isRecord(value["told"]) &&
    Object.values(value["told"]).every(isTold) &&
    Array.isArray(value["openFailures"]) &&
    value["openFailures"].every(
      (one) =>
        isRecord(one) && typeof one["id"] === "string" && isCount(one["runNumber"]) && areNames(one["files"]),
    )
  );
}

function areNames(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((name) => typeof name === "string"));
}

function isTold(value: unknown): boolean {
  return isRecord(value) && typeof value["essence"] === "string" && Array.isArray(value["problems"]);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** A moment that can be written as a date. */
function isTime(value: unknown): boolean {
  return typeof value === "number" && !Number.isNaN(new Date(value).getTime());
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  return typeof value === "string" && values.includes(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
