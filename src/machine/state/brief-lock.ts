import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { fail, ok, type Result } from "../../core/trouble.ts";
import { elapsedMs, now } from "../clock.ts";
import { hasCode } from "../files/errno.ts";
import { discard } from "../files/files.ts";
import { isAlive } from "../process/group.ts";
import { acquireLock } from "./lock.ts";

/**
 * Takes a lock for a moment, waiting for others who have it for a moment. A symbolic link that names its holder appears whole and
 * in one step, which makes it several times cheaper than `acquireLock`; that one guards the removal of a link whose holder is dead.
 */
export function lockBriefly(path: string): Result<Disposable> {
  if (process.platform === "win32") return waitFor(path, () => acquireLock(path)); // links need privileges there
  return waitFor(path, () => {
    const mine = link(path);
    if (mine !== undefined || !isLeftBehind(path)) return mine === undefined ? undefined : ok(mine);
    const breaking = acquireLock(`${path}.breaking`);
    if (!breaking.ok) return breaking;
    using _breaking = breaking.value;
    if (isLeftBehind(path)) discard(path); // another process may have done so, and hold the lock by now
    return undefined;
  });
}

const PATIENCE_MS = 2_000;

/** Tries again while the lock is held; what else goes wrong ends it. */
function waitFor(path: string, attempt: () => Result<Disposable> | undefined): Result<Disposable> {
  const deadline = elapsedMs() + PATIENCE_MS;
  for (;;) {
    const taken = attempt();
    if (taken?.ok || (taken !== undefined && taken.trouble.kind !== "lock-held")) return taken;
    if (elapsedMs() > deadline) return fail({ kind: "file-failed", action: "lock", path, detail: HELD });
    Atomics.wait(pause, 0, 0, Math.random() * 4); // the process may have nothing else to do, and would end
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));

const HELD = "another process has held it for two seconds";

function link(path: string): Disposable | undefined {
  try {
    symlinkSync(String(process.pid), path);
    return { [Symbol.dispose]: () => unlinkSync(path) };
  } catch (error) {
    if (hasCode(error, "EEXIST")) return undefined;
    throw error;
  }
}

/** No holder keeps it this long; its pid may have been reused. */
const LONGEST_MS = 60_000;

function isLeftBehind(path: string): boolean {
  try {
    const age = now() - lstatSync(path).mtimeMs;
    return age > LONGEST_MS || !isAlive(Number(readlinkSync(path)));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false; // released
    if (hasCode(error, "EINVAL")) return true; // not a link
    throw error;
  }
}
