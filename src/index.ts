// The library: `executeRun` and its types arrive with the engine.
export { STATUSES, type Status } from "./core/status.ts";
