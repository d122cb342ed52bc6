import { z } from "zod";
import { parseJson } from "../review/read-answer.ts";
import type { Reply, Reviewer } from "./reviewer.ts";

/**
 * Gemini CLI. Checked with 0.61.0 (2026-11-15): it has no flag against hooks, but the settings of the directory it runs in
 * can switch them off and leave only the reading tools. So it runs in an empty directory of ours and reads the project from there.
 */
export const gemini: Reviewer = {
  name: "gemini",
  title: "Gemini CLI",
  executable: "gemini",
  versionArgs: ["--version"],
  install: "npm install -g @google/gemini-cli, then run `gemini` once to log in or set GEMINI_API_KEY",
  invocation: ({ model, root }) => ({
    args: [
      "--output-format=json",
      "--extensions=none",
      "--allowed-mcp-server-names=none",
      `--include-directories=${root}`,
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true", NO_BROWSER: "true" }, // the directory is ours and empty
    scratch: { ".gemini/settings.json": JSON.stringify(READ_ONLY) },
  }),
  replyIn: responseOrError,
  usageLimit: /quota|RESOURCE_EXHAUSTED|rate limit|usage limit|too many requests|\b429\b/i,
  notLoggedIn: /set an auth method|api key not valid|unauthenticated|\b401\b|login required|GEMINI_API_KEY/i,
};

const READ_ONLY = {
  hooksConfig: { enabled: false },
  skills: { enabled: false },
  general: { enableAutoUpdate: false, checkpointing: { enabled: false } },
  tools: {
    core: ["read_file", "read_many_files", "glob", "grep_search", "search_file_content", "list_directory"],
  },
};

const output = z.object({
  response: z.string().nullish(),
  error: z.object({ message: z.string() }).nullish(),
});

function responseOrError(stdout: string): Reply {
  const read = output.safeParse(parseJson(stdout));
  if (!read.success) return { text: stdout, failed: false };
  const { response, error } = read.data;
  return { text: response ?? error?.message ?? "", failed: error !== undefined && error !== null };
}
