import { existsSync, renameSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fail, ok, type Result } from "../../trouble.ts";
import { elapsedMs, now } from "../clock.ts";
import { hasCode } from "../files/errno.ts";
import { discard, factsOf, modifiedAt } from "../files/files.ts";
import { isAlive } from "../process/group.ts";

/**
 * Does something short under a lock, after waiting for others. The lock is one file, renamed by its holder to carry its pid: so only one
 * process can take it from a dead holder. If each holder made a file, two rivals could both remove a dead one's, the second of them
 * that of the first.
 */
export function whileLocked(path: string, work: () => void): Result<void> {
  const held = `${path}.${process.pid}`;
  if (!isRenamed(path, held) && !isTakenInTime(path, held))
    return fail({ kind: "file-failed", action: "lock", path, detail: HELD });
  try {
    work();
  } finally {
    isRenamed(held, path);
  }
  return ok(undefined);
}

function isTakenInTime(path: string, held: string): boolean {
  const deadline = elapsedMs() + PATIENCE_MS;
  for (;;) {
    bringBack(path);
    if (isRenamed(path, held)) return true;
    if (elapsedMs() > deadline) return false;
    wait(Math.random() * 4);
  }
}

const PATIENCE_MS = 2_000;

const HELD = "another process has held it for two seconds";

/** Without this the process would end. */
function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function isRenamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

/** Takes the file from a dead holder, which only one can do, or makes a missing one. A living holder is waited for. */
function bringBack(path: string): void {
  const holders = holdersOf(path);
  for (const holder of holders) if (!isHolding(holder)) isRenamed(holder, path);
  if (holders.length === 0) make(path);
}

/** A file made less than this ago is not missing. */
const MADE_MS = 1_000;

/** Made by who leaves the mark first; again only if something else removed it. */
function make(path: string): void {
  const mark = `${path}.made`;
  if (isFirst(mark)) return writeFileSync(path, "", { mode: 0o600 });
  const madeAt = modifiedAt(mark) ?? now();
  if (now() - madeAt > MADE_MS && isNowhere(path) && modifiedAt(mark) === madeAt) discard(mark);
}

function isFirst(mark: string): boolean {
  try {
    writeFileSync(mark, "", { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

function holdersOf(path: string): readonly string[] {
  const start = `${basename(path)}.`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .map((name) => join(dirname(path), name));
}

/** No holder keeps it this long: the pid was reused. */
const LONGEST_MS = 60_000;

function isHolding(holder: string): boolean {
  const renamedAt = factsOf(holder)?.ctimeMs;
  if (renamedAt === undefined) return true; // until a moment ago
  return now() - renamedAt <= LONGEST_MS && isAlive(Number(holder.split(".").at(-1)));
}

/** A single check misses a file that is just being renamed. */
function isNowhere(path: string): boolean {
  for (let looks = 0; looks < 100; looks++) {
    if (existsSync(path) || holdersOf(path).length > 0) return false;
    wait(1);
  }
  return true;
}
