import { expect, test } from "vitest";

import { grok } from "../../src/hosts/grok.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { blocked, gaveUp } from "../rig/hosts/verdicts.ts";

test("reads a stop from its camelCase fields", () => {
  const { payload, surroundings } = recording("grok", "stop");

  expect(grok.parse(payload, surroundings)).toEqual({
    kind: "stop",
    event: {
      host: "grok",
      sessionId: "01a1e10f-28f4-74e3-bd96-23336a59699e",
      transcriptPath:
        "/home/user/.grok/sessions/%2Ftmp%2Fproject/01a1e10f-28f4-74e3-bd96-23336a59699e/updates.jsonl",
      promptId: "9a1fb153-a153-4035-b18a-ce1ee8b5487d",
      cwd: "/tmp/project",
      continued: false,
      lastMessage: "I am done.",
      permissionMode: "bypassPermissions",
      stopReason: "end_turn",
      backgroundTasks: [],
    },
  });
});

test("says when the agent goes on after a block", () => {
  const { payload, surroundings } = recording("grok", "stop-after-block");

  expect(grok.parse(payload, surroundings)).toMatchObject({ event: { continued: true } });
});

test("is not asked to stop by the end of its session, whose answer it ignores", () => {
  const { payload, surroundings } = recording("grok", "stop-at-session-end");

  expect(grok.parse(payload, surroundings)).toMatchObject({ kind: "ended" });
});

test("gets the decision as JSON, and the user a notice", () => {
  expect(JSON.parse(grok.render(blocked).stdout)).toEqual({ decision: "block", reason: blocked.feedback });
  expect(JSON.parse(grok.render(gaveUp).stdout)).toEqual({ systemMessage: gaveUp.notice });
});
