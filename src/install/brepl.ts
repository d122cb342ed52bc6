import type { HookRegistration } from "./hook-registration.ts";

/** Personal settings of Claude Code: nothing is committed. */
const SETTINGS = ".claude/settings.local.json";
/** Seconds that Claude Code gives the hooks together; each has a time limit of its own in `.brepl/hooks.edn`. */
const STOP_TIMEOUT_SECONDS = 3600;

/** The hooks of `brepl` in Claude Code's settings; `program` is how it is called there. */
export function breplHooks(program: string): HookRegistration {
  const stop = `${program} hook stop`;
  const sessionEnd = `${program} hook session-end`;
  return {
    file: SETTINGS,
    hooks: [
      {
        event: "Stop",
        command: stop,
        fields: { type: "command", command: stop, timeout: STOP_TIMEOUT_SECONDS },
      },
      { event: "SessionEnd", command: sessionEnd, fields: { type: "command", command: sessionEnd } },
    ],
    isOurs: isBreplCommand,
    exact: true,
    shape: { eventsKey: "hooks", grouped: true, commandKey: "command", isStrictJson: true },
  };
}

/** `brepl hook …` under either name; `hooks` is the same. */
function isBreplCommand(command: string): boolean {
  return /^\s*(?:agent-gauntlet\s+)?brepl\s+hooks?(?:\s|$)/.test(command);
}
