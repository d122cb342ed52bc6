import { z } from "zod";
import { parseJson } from "../review/read-answer.ts";
import type { Reply, Reviewer } from "./reviewer.ts";

/**
 * Codex CLI. Checked with 0.166.0 (2026-11-15): commands run in its read-only sandbox, nothing is saved, no hooks, plugins or
 * MCP servers. The user's configuration stays, because the model provider may be there.
 */
export const codex: Reviewer = {
  name: "codex",
  title: "Codex CLI",
  executable: "codex",
  versionArgs: ["--version"],
  loginArgs: ["login", "status"],
  install: "npm install -g @openai/codex, then run `codex login`",
  invocation: ({ model }) => ({
    args: [
      "exec",
      "--json",
      "--ephemeral",
      "--sandbox=read-only",
      "--skip-git-repo-check",
      "--ignore-rules",
      ...override('approval_policy="never"', "features.hooks=false", "features.plugins=false"),
      ...override("features.apps=false", "features.multi_agent=false", "mcp_servers={}"),
      ...(model === undefined ? [] : [`--model=${model}`]),
      "-",
    ],
  }),
  replyIn: lastMessage,
  usageLimit: /usage limit|rate limit|quota|too many requests|insufficient_quota|\b429\b|out of credits/i,
  notLoggedIn: /not logged in|codex login|unauthorized|\b401\b|missing environment variable|api key/i,
};

function override(...settings: readonly string[]): readonly string[] {
  return settings.flatMap((setting) => ["-c", setting]);
}

const event = z.object({
  type: z.string(),
  message: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
  item: z.object({ type: z.string(), text: z.string().optional() }).optional(),
});

/** One event a line; the last message of the agent is the answer. */
function lastMessage(stdout: string): Reply {
  const events = stdout.split("\n").flatMap((line) => {
    const read = event.safeParse(parseJson(line));
    return read.success ? [read.data] : [];
  });
  if (events.length === 0) return { text: stdout, failed: false };
  const message = events.findLast(({ item }) => item?.type === "agent_message")?.item?.text;
  if (message !== undefined) return { text: message, failed: false };
  const errors = events.flatMap(({ message: said, error }) => [said, error?.message].filter(isText));
  return { text: errors.join("\n"), failed: true };
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}
