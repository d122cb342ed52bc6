import type { Reviewer } from "./reviewer.ts";

const PREFIX = "command:";

/** `command: my-reviewer --flag`: any executable that reads the prompt from stdin and prints the answer. Split at spaces, no shell. */
export function commandReviewer(preference: string): Reviewer | undefined {
  if (!preference.startsWith(PREFIX)) return undefined;
  const [executable = "", ...args] = splitWords(preference.slice(PREFIX.length));
  if (executable === "") return undefined;
  return {
    name: preference,
    title: executable,
    executable,
    versionArgs: ["--version"],
    install: `put an executable named ${executable} on PATH`,
    invocation: ({ model }) => ({
      args,
      ...(model === undefined ? {} : { env: { GAUNTLET_REVIEW_MODEL: model } }),
    }),
    replyIn: (stdout) => ({ text: stdout, failed: false }),
    usageLimit: /usage limit|rate limit|quota exceeded|too many requests|hit your .{0,40}limit|\b429\b/i,
    notLoggedIn: /not logged in|unauthorized|invalid api key|\b401\b/i,
  };
}

/** Words separated by spaces; quotes keep spaces inside a word. */
function splitWords(text: string): readonly string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
