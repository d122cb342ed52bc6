/** The engine as a library: runs a project's gates and says what they came to. */
export { executeRun } from "./engine/execute-run.ts";
export type { RunRequest, RunResult } from "./engine/run-request.ts";
export type { GateOutcome } from "./core/outcome.ts";
export type { RunEvent } from "./core/run-event.ts";
export { STATUSES, type Status } from "./core/status.ts";
