import { dirname, join } from "node:path";
import type { SessionRecord } from "../../core/record/session-record.ts";
import { hasCode } from "../files/errno.ts";
import { discard } from "../files/files.ts";
import type { Environment } from "../process/environment.ts";
import { whileLocked } from "./brief-lock.ts";
import { sessionFile, sessionPaths } from "./sessions.ts";

/** Writes the records anew for which `change` has something else, and removes those it is done with. */
export function changeSessions(
  env: Environment,
  change: (record: SessionRecord) => SessionRecord | "gone" | undefined,
): void {
  const paths = sessionPaths(env);
  const [first] = paths;
  if (first === undefined) return;
  lockedIfPossible(join(dirname(first), ".lock"), () => {
    for (const path of paths) {
      const record = sessionFile.read(path).value;
      const changed = record && change(record);
      if (changed === "gone") discard(path);
      else if (changed !== undefined) sessionFile.write(path, changed);
    }
  });
}

/** Two who change the same record at the same time would lose a change. Without the lock it is still better done than not. */
function lockedIfPossible(path: string, work: () => void): void {
  try {
    if (whileLocked(path, work).ok) return;
  } catch (error) {
    if (!hasCode(error)) throw error; // a directory that cannot be written to
  }
  work();
}

/** Starting over in a project gives its sessions their budgets back; `cleaned` is when something else than the user did so. */
export function startOver(root: string, env: Environment, cleaned: number | undefined): void {
  changeSessions(env, ({ blocked, kept, ...record }) => {
    const places = [record.root, ...(record.starts ?? []).map((start) => start.root)];
    const isHere = cleaned !== undefined && places.includes(root);
    if (blocked?.root !== root && kept?.root !== root && !isHere) return undefined;
    return {
      ...record,
      ...forgotten(blocked, root),
      ...(kept === undefined || kept.root === root ? {} : { kept }),
      ...(isHere ? { cleaned } : {}),
    };
  });
}

/** The budget is new, but where every stop is enforced the next one of a blocked agent is checked as before. */
function forgotten(blocked: SessionRecord["blocked"], root: string): Partial<SessionRecord> {
  if (blocked === undefined) return {};
  if (blocked.root !== root) return { blocked };
  return blocked.whenActive === "enforce" ? { isEnforced: true } : {};
}

/** Where state is put away with the work it belongs to, it is not missed. */
export function forgetKeptIn(root: string, env: Environment): void {
  changeSessions(env, ({ kept, ...record }) => (kept?.root === root ? record : undefined));
}
