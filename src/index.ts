import type { RunRequest } from "./run/request.ts";
export type { RunEvent, RunRequest } from "./run/request.ts";
import type { RunResult } from "./run/result.ts";
import { loadEngine } from "./sdk/engine.ts";

/** The engine as a library: runs a project's gates, notes the verdict in the ledger and returns the result. */
export async function executeRun(request: RunRequest): Promise<RunResult> {
  const { runAndRecord } = await loadEngine();
  return runAndRecord(request, "library");
}
export type { RunResult } from "./run/result.ts";
export type { GateOutcome } from "./gates/outcome.ts";
export { STATUSES, type Status } from "./stop/status.ts";
