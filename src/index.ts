import type { RunRequest, RunResult } from "./core/run.ts";
import { runAndRecord } from "./engine/proof/run-and-record.ts";

/** The engine as a library: runs a project's gates, notes the verdict in the ledger and returns the result. */
export function executeRun(request: RunRequest): Promise<RunResult> {
  return runAndRecord(request, "library");
}
export type { RunEvent, RunRequest, RunResult } from "./core/run.ts";
export type { GateOutcome } from "./core/outcome.ts";
export { STATUSES, type Status } from "./core/status.ts";
