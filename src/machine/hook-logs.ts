import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "./remove-tree.ts";

const KEPT_SESSIONS = 20;

/** Removes the logs of one session. */
export function removeSessionLogs(logsDir: string, session: string): void {
  removeTree(join(logsDir, session));
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
