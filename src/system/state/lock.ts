import { parseJson } from "../../json.ts";
import { hasCode } from "../files/errno.ts";
import { linkSync, readdirSync, renameSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { fail, ok, type Result, type Trouble } from "../../trouble.ts";
import { now } from "../clock.ts";
import {
  discard,
  factsOf,
  makePrivateDirectory,
  modifiedAt,
  putAside,
  readIfFile,
  readSmallFile,
  troubleOf,
  uniqueName,
  writeFileAtomic,
} from "../files/files.ts";
import { bootId, isAlive, pidNamespace, startTime } from "../process/group.ts";
import { ownMark } from "../process/environment.ts";
import { sha256 } from "#runtime";

export interface LockHolder {
  readonly runId: string;
  readonly pid: number;
  readonly startTime?: string | undefined;
  readonly bootId?: string | undefined;
  /** A container and its host may share a work tree, but not their processes. */
  readonly namespace?: string | undefined;
  readonly machine?: string | undefined;
  /** In the environment of its own children, such as git. */
  readonly mark?: string | undefined;
  readonly since: string;
  readonly by?: Asker | undefined;
}

export interface Asker {
  readonly session: string;
  readonly partOf?: string | undefined;
  readonly prompt?: string | undefined;
  /** It runs ahead of a stop, and makes way for everybody. */
  readonly isAhead?: boolean | undefined;
}

export interface Lock extends Disposable {
  readonly runId: string;
  /** The dead run whose lock this one replaced: its orphans must be killed. */
  readonly replaced?: LockHolder | undefined;
}

/**
 * Takes a lock, or says who holds it. The lock of a dead holder is taken over; if several try, one wins. A `copy` outside the
 * project reveals a lock that something else has written.
 */
export function acquireLock(path: string, by?: Asker, copy?: string): Result<Lock> {
  const self = describeSelf(by);
  const draft = `${path}.${self.runId}`;
  try {
    writeFileSync(draft, JSON.stringify(self), { flag: "wx", mode: 0o600 });
    const claimed = claim(path, draft, self);
    if (claimed.ok) sweep(path);
    if (copy === undefined) return claimed;
    return claimed.ok ? recorded(claimed.value, copy) : withRecord(claimed.trouble, { path, copy });
  } catch (error) {
    return putAside(path) ? acquireLock(path, by, copy) : troubleOf("write the lock", path, error);
  } finally {
    discard(draft);
  }
}

/**
 * If the copy cannot be written, a later conflict says so. It is removed with the lock, so that the next run replaces no file
 * (decision 0102), and before it, so that it is never the next holder's.
 */
function recorded(lock: Lock, copy: string): Result<Lock> {
  try {
    makePrivateDirectory(dirname(copy));
    writeFileAtomic(copy, lock.runId, { mode: 0o600 }); // a pipe in its place would be waited for
  } catch (error) {
    if (!hasCode(error)) throw error;
  }
  const dispose = (): void => {
    if (readIfFile(copy) === lock.runId) discard(copy); // where a gate removed our lock, it may be another's
    lock[Symbol.dispose]();
  };
  return ok({ ...lock, [Symbol.dispose]: dispose });
}

/** The copies of an invisible holder are elsewhere. */
function withRecord(
  trouble: Trouble,
  { path, copy }: { readonly path: string; readonly copy: string },
): Result<Lock> {
  const holder = readHolder(path);
  if (trouble.kind !== "lock-held" || holder === undefined || isOutOfSight(holder)) return fail(trouble);
  return readIfFile(copy) === holder.runId ? fail(trouble) : fail({ ...trouble, isUnrecorded: true });
}

export function lockHolder(path: string): LockHolder | undefined {
  try {
    const holder = readHolder(path);
    return holder !== undefined && isHolderAlive(holder, path) ? holder : undefined;
  } catch (error) {
    if (!hasCode(error)) throw error;
    return undefined;
  }
}

function describeSelf(by?: Asker): LockHolder {
  return {
    runId: uniqueName(),
    pid: process.pid,
    startTime: startTime(process.pid),
    bootId: bootId(),
    namespace: pidNamespace(),
    machine: hostname(),
    mark: ownMark(),
    since: new Date().toISOString(),
    by,
  };
}

export async function lockReleased(path: string, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    if (lockHolder(path) === undefined) return !signal.aborted;
    if (signal.aborted) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

const LOOK_AGAIN_MS = 100;

/** A hard link appears whole or not at all: a reader never sees half a lock. */
function claim(path: string, draft: string, self: LockHolder): Result<Lock> {
  for (;;) {
    if (linkExclusively(draft, path)) return ok(held(path, self.runId));
    const holder = readHolder(path);
    if (holder === undefined) continue; // released between our two looks
    if (isHolderAlive(holder, path)) return fail(lockHeld(holder, self));
    const takenOver = takeOver(path, { draft, self, dead: holder });
    if (takenOver !== undefined) return takenOver;
  }
}

/**
 * Only the holder of the claim on this dead run may replace its lock, so a slow rival never replaces a fresh one. The claim is
 * itself a lock: a rival that dies with it is taken over in turn.
 */
function takeOver(
  path: string,
  by: { draft: string; self: LockHolder; dead: LockHolder },
): Result<Lock> | undefined {
  const claimPath = `${path}.claim-${by.dead.runId}`;
  const claimed = claim(claimPath, by.draft, by.self);
  if (!claimed.ok) return claimed;
  using _claim = claimed.value;
  if (readHolder(path)?.runId !== by.dead.runId) return undefined;
  const copy = `${by.draft}.new`;
  writeFileSync(copy, JSON.stringify(by.self), { flag: "wx", mode: 0o600 });
  renameSync(copy, path);
  return ok(held(path, by.self.runId, by.dead));
}

function held(path: string, runId: string, replaced?: LockHolder): Lock {
  const heartbeat = setInterval(() => beat(path, runId), HEARTBEAT_MS).unref();
  const dispose = (): void => {
    clearInterval(heartbeat);
    release(path, runId);
  };
  return { runId, replaced, [Symbol.dispose]: dispose };
}

const HEARTBEAT_MS = 5_000;
const HEARTBEAT_LOST_MS = 60_000;

/**
 * For machines and containers that cannot see our pid: without the heartbeat they would either steal the lock of a living run
 * or wait forever for a dead one.
 */
function beat(path: string, runId: string): void {
  try {
    const time = new Date();
    if (readHolder(path)?.runId === runId) utimesSync(path, time, time);
  } catch {
    // a gate may have removed it
  }
}

/** A gate may have removed the directory, and another run may hold a new lock. */
function release(path: string, runId: string): void {
  try {
    if (readHolder(path)?.runId === runId) unlinkSync(path);
  } catch {
    // it stays, and counts for nothing once this process has ended
  }
}

/** Removes drafts and claims of killed processes. Only the holder does it, so no claim on an earlier holder can still win. */
function sweep(path: string): void {
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path)).filter((one) => one.startsWith(prefix))) {
    const file = join(dirname(path), name);
    try {
      if (isLeftBehind(file)) discard(file);
    } catch (error) {
      if (!hasCode(error)) throw error; // something that is not ours
    }
  }
}

/** A draft may be half written, so its name says whose it is. */
function isLeftBehind(file: string): boolean {
  const pid = /\.(\d+)-[\da-z-]+(?:\.new)?$/.exec(file)?.[1];
  if (pid !== undefined) return !isAlive(Number(pid));
  const claimant = readHolder(file);
  return claimant !== undefined && !isHolderAlive(claimant, file);
}

function linkExclusively(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

function readHolder(path: string): LockHolder | undefined {
  try {
    return parseHolder(readSmallFile(path));
  } catch (error) {
    if (!hasCode(error, "ENOENT") && !hasCode(error, "ELOOP")) throw error;
    return factsOf(path) ? parseHolder("") : undefined; // a link that leads nowhere is in its place
  }
}

/** Anything else has no living holder; its content replaces the run's name. */
function parseHolder(text: string): LockHolder {
  const value = parseJson(text);
  return isHolder(value) ? value : { runId: sha256(text), pid: 0, since: "" };
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== "object" || value === null) return false;
  const { runId, pid, since, namespace = "pid:[0]" } = value as Partial<Record<keyof LockHolder, unknown>>; // checked right here
  return (
    typeof runId === "string" &&
    /^[\w-]{1,80}$/.test(runId) &&
    Number.isInteger(pid) &&
    typeof since === "string" &&
    typeof namespace === "string" &&
    /^pid:\[\d{1,20}\]$/.test(namespace)
  );
}

function isHolderAlive(holder: LockHolder, path: string): boolean {
  if (isOutOfSight(holder)) return now() - (modifiedAt(path) ?? 0) < HEARTBEAT_LOST_MS;
  if (holder.pid <= 0 || !isAlive(holder.pid)) return false;
  return holder.bootId === bootId() && holder.startTime === startTime(holder.pid);
}

/** On another machine, or in another pid namespace. After a reboot it is on none. */
function isOutOfSight({ pid, namespace, machine, bootId: boot }: LockHolder): boolean {
  if (pid <= 0 || machine === undefined) return false;
  return boot === bootId() ? namespace !== pidNamespace() : machine !== hostname();
}

function lockHeld({ pid, since, by }: LockHolder, self: LockHolder): Trouble {
  return { kind: "lock-held", pid, since, heldBy: relation(by, self.by) };
}

/** Two hooks of one stop have the same prompt; a host that does not wait for its hooks may ask with the next one. */
function relation(holder: Asker | undefined, self: Asker | undefined) {
  if (holder?.isAhead === true) return "run-ahead";
  const isSameAgent = holder?.session === self?.session;
  if (isSameAgent && holder?.prompt === self?.prompt) return "same-stop";
  const whole = (asker: Asker | undefined): string | undefined => asker?.partOf ?? asker?.session;
  return whole(holder) === whole(self) ? "same-session" : "other";
}
