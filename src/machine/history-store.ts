import { join } from "node:path";
import { NEW_SESSION, type SessionHistory, type WorkTreeHistory } from "../core/history.ts";
import type { Result } from "../core/trouble.ts";
import { listDirectory, readText, removeFile, writeFileAtomic } from "./files.ts";
import { now } from "./clock.ts";

/** Raised whenever a stored shape changes; a file of any other version counts as absent. */
const VERSION = 1;

/** A history read from disk; whatever cannot be trusted counts as absent, with a warning. */
export interface Stored<T> {
  readonly value: T;
  readonly warning?: string;
}

export function readWorkTree(stateDir: string): Promise<Stored<WorkTreeHistory>> {
  return readState(join(stateDir, "work-tree.json"), {}, isWorkTree);
}

export function writeWorkTree(stateDir: string, history: WorkTreeHistory): Promise<Result<void>> {
  return writeState(join(stateDir, "work-tree.json"), history);
}

export function readSession(stateDir: string, key: string): Promise<Stored<SessionHistory>> {
  return readState(sessionFile(stateDir, key), NEW_SESSION, isSession);
}

/** A session with nothing to remember leaves no file. */
export async function writeSession(
  stateDir: string,
  key: string,
  history: SessionHistory,
): Promise<Result<void>> {
  const { attempts, openFailures, gaveUpOn, deferredFor } = history;
  const isEmpty =
    attempts === 0 && openFailures.length === 0 && gaveUpOn === undefined && deferredFor === undefined;
  const path = sessionFile(stateDir, key);
  return isEmpty ? removeFile(path) : writeState(path, history);
}

/** Every session with something to remember. */
export async function listSessions(
  stateDir: string,
): Promise<readonly { readonly id: string; readonly history: SessionHistory }[]> {
  const names = await listDirectory(stateDir);
  const ids = (names.ok ? names.value : []).flatMap((name) => /^session-(.+)\.json$/.exec(name)?.[1] ?? []);
  return Promise.all(ids.map(async (id) => ({ id, history: (await readSession(stateDir, id)).value })));
}

function sessionFile(stateDir: string, key: string): string {
  return join(stateDir, `session-${key}.json`);
}

async function readState<T>(
  path: string,
  absent: T,
  isValid: (value: unknown) => value is T,
): Promise<Stored<T>> {
  const text = await readText(path, MAX_STATE_BYTES);
  if (!text.ok && text.trouble.kind === "file-missing") return { value: absent };
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

function writeState(path: string, state: unknown): Promise<Result<void>> {
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
    Number.isInteger(value["number"]) &&
    typeof value["status"] === "string" &&
    typeof value["completedAt"] === "number" &&
    Array.isArray(value["outcomes"]) &&
    value["outcomes"].every((outcome) => isRecord(outcome) && typeof outcome["id"] === "string")
  );
}

function isPassRecord(value: unknown): boolean {
  return (
    isRecord(value) &&
    Number.isInteger(value["runNumber"]) &&
    typeof value["fingerprint"] === "string" &&
    typeof value["gateHash"] === "string" &&
    (value["status"] === "passed" || value["status"] === "passed_with_warnings") &&
    typeof value["at"] === "number"
  );
}

function isSession(value: unknown): value is SessionHistory {
  return (
    isRecord(value) &&
    Number.isInteger(value["attempts"]) &&
    Number(value["attempts"]) >= 0 &&
    isRecord(value["told"]) &&
    Array.isArray(value["openFailures"]) &&
    value["openFailures"].every(
      (one) => isRecord(one) && typeof one["id"] === "string" && Number.isInteger(one["runNumber"]),
    )
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
