import type { RunRequest } from "./run/request.ts";
export type { RunEvent, RunRequest } from "./run/request.ts";
import type { RunResult } from "./run/result.ts";

/** The engine as a library: runs a project's gates, notes the verdict in the ledger and returns the result. */
export async function executeRun(request: RunRequest): Promise<RunResult> {
  const { runAndRecord } = await import("./run/run-and-record.ts"); // large, and most who import this ask for statuses and types
  return runAndRecord(request, "library");
}
export type { RunResult } from "./run/result.ts";
export type { GateOutcome } from "./gates/outcome.ts";
export { STATUSES, type Status } from "./stop/status.ts";
