import type { HookRegistration } from "./hook-registration.ts";
import { isOurCommand } from "./hook-command.ts";

/** Personal settings: each developer chooses, and nothing is committed. */
export const CLAUDE_CODE_SETTINGS = ".claude/settings.local.json";

/** Seconds that Claude Code gives the hook; our own deadline lies before it. */
const HOOK_TIMEOUT_SECONDS = 300;

/** The stop hook in Claude Code's settings. Stop hooks take no matcher. */
export function claudeCodeStopHook(command: string): HookRegistration {
  const fields = { type: "command", command, timeout: HOOK_TIMEOUT_SECONDS };
  return {
    file: CLAUDE_CODE_SETTINGS,
    hooks: [{ event: "Stop", command, fields }],
    isOurs: isOurCommand,
    shape: { eventsKey: "hooks", grouped: true, commandKey: "command" },
  };
}
