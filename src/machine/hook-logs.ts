import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const KEPT_SESSIONS = 20;

/** Removes the logs of one session. */
export function removeSessionLogs(logsDir: string, session: string): void {
  rmSync(join(logsDir, session), { recursive: true, force: true });
}

/** Removes the logs of sessions that never said goodbye, all but the latest. */
export function pruneSessionLogs(logsDir: string): void {
  const sessions = readdirSync(logsDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, changedAt: changedAt(join(logsDir, name)) }))
    .toSorted((a, b) => b.changedAt - a.changedAt);
  for (const { name } of sessions.slice(KEPT_SESSIONS)) removeSessionLogs(logsDir, name);
}

/** A session may end, and take its logs along, while we look. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
