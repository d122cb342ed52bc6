import type { HookRegistration } from "./hook-registration.ts";
import { isOurCommand } from "./hook-command.ts";

/** Personal settings: each developer chooses, and nothing is committed. */
const CLAUDE_CODE_SETTINGS = ".claude/settings.local.json";

/** The team's settings, which are committed. We only look there. */
export const CLAUDE_CODE_SHARED_SETTINGS = ".claude/settings.json";

/** Seconds that Claude Code gives the hook; our own deadline lies before it. */
const HOOK_TIMEOUT_SECONDS = 300;

/** The stop hook in Claude Code's settings. Stop hooks take no matcher. */
export function claudeCodeStopHook(command: string): HookRegistration {
  const fields = { type: "command", command, timeout: HOOK_TIMEOUT_SECONDS };
  return {
    file: CLAUDE_CODE_SETTINGS,
    hooks: [{ event: "Stop", command, fields }],
    isOurs: isOurCommand,
    // Claude Code 2.1.325 silently skips a settings file with comments (seen 2026-11-15).
    shape: { eventsKey: "hooks", grouped: true, commandKey: "command", isStrictJson: true },
  };
}
