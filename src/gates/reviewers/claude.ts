import { parseJson } from "../review/read-answer.ts";
import { type Reviewer, resultReply } from "./reviewer.ts";

/**
 * Claude Code. Checked with 2.1.325 (2026-11-15): reads inside the project are allowed, everything else does not exist for the
 * model. User settings stay, because the login may be there; project settings, hooks, plugins' servers and skills do not load.
 */
export const claude: Reviewer = {
  name: "claude",
  title: "Claude Code",
  executable: "claude",
  versionArgs: ["--version"],
  loginArgs: ["auth", "status"],
  install: "npm install -g @anthropic-ai/claude-code, then run `claude` once to log in",
  invocation: ({ model }) => ({
    args: [
      "-p",
      "--output-format=json",
      "--tools=Read,Grep,Glob",
      "--permission-mode=default",
      "--setting-sources=user",
      '--settings={"disableAllHooks":true}',
      "--strict-mcp-config",
      "--disable-slash-commands",
      "--no-session-persistence",
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
    env: { CLAUDE_CODE_MAX_RETRIES: "2" }, // its own default waits minutes on a limit
  }),
  replyIn: (stdout) => resultReply(parseJson(stdout), stdout),
  usageLimit:
    /usage limit|hit your .{0,40}limit|rate limit|credit balance is too low|\(429\)|out of extra usage/i,
  notLoggedIn: /not logged in|please run \/login|invalid api key|oauth token (?:has )?expired|\b401\b/i,
};
