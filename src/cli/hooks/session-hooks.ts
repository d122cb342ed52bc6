/** What hosts tell about a session besides its stops. */
export { runPromptHook } from "./prompt-hook.ts";
export { runSessionStart } from "./session-start.ts";
