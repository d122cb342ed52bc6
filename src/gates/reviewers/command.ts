import { shellCommand } from "../../machine/process/executables.ts";
import type { Reviewer } from "./reviewer.ts";

const PREFIX = "command:";

/** `command: my-reviewer --flag`: any shell line that reads the prompt from stdin and prints the answer. */
export function commandReviewer(preference: string): Reviewer | undefined {
  const line = preference.startsWith(PREFIX) ? preference.slice(PREFIX.length).trim() : "";
  if (line === "") return undefined;
  const [shell, ...args] = shellCommand(line);
  return {
    name: preference,
    title: line,
    executable: shell,
    detect: /^[\w./-]+/.exec(line)?.[0] ?? "sh",
    versionArgs: [],
    install: `put the command on PATH: ${line}`,
    invocation: ({ model }) => ({
      args,
      ...(model === undefined ? {} : { env: { GAUNTLET_REVIEW_MODEL: model } }),
    }),
    replyIn: (stdout) => ({ text: stdout, failed: false }),
    usageLimit: /usage limit|rate limit|quota exceeded|too many requests|hit your .{0,40}limit|\b429\b/i,
    notLoggedIn: /not logged in|unauthorized|invalid api key|\b401\b/i,
  };
}
