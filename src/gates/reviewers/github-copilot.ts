import type { Reviewer } from "./reviewer.ts";

/**
 * GitHub Copilot CLI. Checked with 1.0.102 (2026-11-15): takes the prompt from a pipe, runs repository hooks only in folders it was
 * told to trust, and prints the bare answer with `--silent`. It keeps its own session log, which no flag prevents.
 */
export const githubCopilot: Reviewer = {
  name: "github-copilot",
  title: "GitHub Copilot CLI",
  executable: "copilot",
  versionArgs: ["--version"],
  install: "npm install -g @github/copilot, then run `copilot` and type /login",
  invocation: ({ model }) => ({
    args: [
      "--silent",
      "--no-color",
      "--no-custom-instructions",
      "--no-auto-update",
      "--no-ask-user",
      "--disable-builtin-mcps",
      "--available-tools=view,grep,glob",
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
  }),
  replyIn: (stdout) => ({ text: stdout, failed: false }),
  usageLimit: /usage limit|rate limit|quota|premium requests|too many requests|\b429\b|out of credits/i,
  notLoggedIn: /no authentication information|not logged in|\/login|unauthorized|\b401\b/i,
};
