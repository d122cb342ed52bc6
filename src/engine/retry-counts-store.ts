import { join } from "node:path";
import { printRetryCounts, readRetryCounts } from "../config/brepl/retry-counts.ts";
import type { RetryCounts } from "../core/hook.ts";
import { explain, type Result } from "../core/trouble.ts";
import {
  readPrivateFile,
  removePrivateFile,
  sharedTempDir,
  writePrivateFile,
} from "../machine/private-temp-file.ts";

/** Where a session's counts are kept. `session` comes from `sessionKey`, so it cannot lead out of the directory. */
function retryCountsPath(session: string): string {
  return join(sharedTempDir(), `brepl-stop-hook-${session}.edn`);
}

/** The counts so far. A file that is broken or not ours counts as absent, with a warning. */
export function loadRetryCounts(session: string): { counts: RetryCounts; warning?: string } {
  const path = retryCountsPath(session);
  const text = readPrivateFile(path);
  if (!text.ok) return { counts: new Map(), warning: explain(text.trouble) };
  if (text.value === undefined) return { counts: new Map() };
  const counts = readRetryCounts(text.value);
  return counts ? { counts } : { counts: new Map(), warning: `${path} is broken: counting starts anew.` };
}

/** Writes the counts down; where there is nothing to count there is no file. */
export function saveRetryCounts(session: string, counts: RetryCounts): Result<void> {
  const path = retryCountsPath(session);
  return counts.size > 0 ? writePrivateFile(path, printRetryCounts(counts)) : removePrivateFile(path);
}
