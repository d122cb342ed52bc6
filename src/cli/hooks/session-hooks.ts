/** What hosts tell about a session besides its stops. */
export { runConfigHook } from "./config-hook.ts";
export { hearPrompt, runPromptHook } from "./prompt-hook.ts";
export { rememberSession, runSessionStart } from "./session-start.ts";
