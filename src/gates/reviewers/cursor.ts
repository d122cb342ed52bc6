import { parseJson } from "../review/read-answer.ts";
import { resultReply, type Reviewer } from "./reviewer.ts";

/** Cursor's agent CLI. Not on npm: from its documentation and users' reports only (2026-11). Ask mode cannot edit. */
export const cursor: Reviewer = {
  name: "cursor",
  title: "Cursor CLI",
  executable: "cursor-agent",
  versionArgs: ["--version"],
  loginArgs: ["status"],
  install: "see cursor.com/cli, then run `cursor-agent login`",
  invocation: ({ model }) => ({
    args: [
      "-p",
      "--output-format=json",
      "--mode=ask",
      "--trust",
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
  }),
  replyIn: (stdout) => resultReply(parseJson(stdout), stdout),
  usageLimit: /hit your .{0,40}limit|usage limit|rate limit|too many requests|\b429\b/i,
  notLoggedIn: /not logged in|cursor-agent login|authentication required|unauthorized|\b401\b/i,
};
