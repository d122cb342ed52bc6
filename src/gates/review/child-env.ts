import { RUN_ID_VARIABLE } from "../../machine/process/own-mark.ts";
import type { GateContext } from "../gate-context.ts";

/**
 * Set by hosts for their children (Claude Code 2.1.325, Codex 0.166, Gemini CLI 0.61, Copilot CLI 1.0.102). A reviewer that
 * inherits them takes itself for a part of the session it reviews, or refuses to start.
 */
const OF_THE_HOST =
  /^(?:CLAUDECODE|CLAUDE_CODE_(?:CHILD_SESSION|ENTRYPOINT|MESSAGING_\w+|SESSION_\w+|SSE_PORT|SUBAGENT_\w+)|CLAUDE_(?:EFFORT|ENV_FILE|PID|PLUGIN_\w+|PROJECT_DIR)|AI_AGENT|CODEX_(?:SANDBOX\w*|THREAD_ID|SESSION_ID|INTERNAL_\w+)|GEMINI_(?:CLI|SESSION_ID|PROJECT_DIR|CWD|PLANS_DIR)|COPILOT_(?:CLI|AGENT_SESSION_ID|RUN_APP)|CURSOR_AGENT)$/;

/** The environment of a reviewer: ours without the host's traces, and marked so that a stop hook inside of it answers at once. */
export function reviewerEnv(context: GateContext, own: Readonly<Record<string, string>> = {}) {
  const inherited = Object.entries(context.env).filter(([name]) => !OF_THE_HOST.test(name));
  return {
    ...Object.fromEntries(inherited),
    ...own,
    GAUNTLET_STOP_HOOK_ACTIVE: "1",
    [RUN_ID_VARIABLE]: context.runId,
  };
}
