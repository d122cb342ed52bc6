import { renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DebugLogSettings } from "../core/settings.ts";
import { now } from "./clock.ts";
import { LineLog } from "./line-log.ts";

/** Appends dated lines to `<log_dir>/.debug.log`, which moves to `.debug.log.1` when it is full. Off: does nothing. */
export function openDebugLog(logDir: string, settings: DebugLogSettings): (line: string | undefined) => void {
  if (!settings.enabled) return () => {};
  const path = join(logDir, ".debug.log");
  return (line) => {
    if (line === undefined) return;
    makeRoom(path, settings.maxBytes - line.length);
    using log = new LineLog(path); // opened anew each time: it may just have been moved
    log.write(`[${new Date(now()).toISOString()}] ${line}`);
  };
}

/** A log that cannot be moved, for example because another process just did, goes on growing. */
function makeRoom(path: string, maxBytes: number): void {
  try {
    if (statSync(path).size > maxBytes) renameSync(path, `${path}.1`);
  } catch {
    // there is none yet, or it cannot be touched: then nothing is lost by going on
  }
}
