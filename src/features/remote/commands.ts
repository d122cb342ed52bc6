export { keysCommand } from "./keys-command.ts";
export { workerCommand, workersCommand } from "./worker-command.ts";
