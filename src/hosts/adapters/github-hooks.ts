import type { JsonHooks } from "../host.ts";

/**
 * One file for Copilot CLI and VS Code chat, which both read `.github/hooks/*.json`: under `Stop` each of them fires it once
 * (Copilot CLI 1.0.102 measured 2026-11-15; it would fire `agentStop` beside `Stop` a second time).
 */
export const GITHUB_HOOKS = {
  format: "json",
  events: { stop: "Stop", session_start: "SessionStart" },
  projectFile: ".github/hooks/agent-gauntlet.json",
  userFile: { variable: "COPILOT_HOME", folder: ".copilot", file: "hooks/agent-gauntlet.json" },
  eventsKey: "hooks",
  isShared: true,
  takesComments: false,
  grouped: false,
  fields: { type: "command" },
} as const satisfies Partial<JsonHooks>;
