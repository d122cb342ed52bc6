/** The engine as a library: runs a project's gates and returns the result. */
export { executeRun } from "./engine/run.ts";
export type { RunEvent, RunRequest, RunResult } from "./core/run.ts";
export type { GateOutcome } from "./core/outcome.ts";
export { STATUSES, type Status } from "./core/status.ts";
