/** What hosts tell about a session besides its stops. */
export { runConfigHook } from "./config-hook.ts";
export { runPromptHook } from "./prompt-hook.ts";
export { runSessionStart } from "./session-start.ts";
