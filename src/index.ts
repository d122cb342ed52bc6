import type { RunRequest, RunResult } from "./core/run.ts";

/** The engine as a library: runs a project's gates, notes the verdict in the ledger and returns the result. */
export async function executeRun(request: RunRequest): Promise<RunResult> {
  const { runAndRecord } = await import("./engine/library.ts"); // large, and most who import this ask for statuses and types
  return runAndRecord(request, "library");
}
export type { RunEvent, RunRequest, RunResult } from "./core/run.ts";
export type { GateOutcome } from "./core/outcome.ts";
export { STATUSES, type Status } from "./core/stop/status.ts";
