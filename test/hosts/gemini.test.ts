import { expect, test } from "vitest";

import { gemini } from "../../src/hosts/gemini.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { allowed, blocked, gaveUp } from "../rig/hosts/verdicts.ts";

test("reads AfterAgent as a stop, with the answer as the last message", () => {
  const { payload, surroundings } = recording("gemini", "stop");

  expect(gemini.parse(payload, surroundings)).toEqual({
    kind: "stop",
    event: {
      host: "gemini",
      sessionId: "bead3e26-ee25-46b6-9366-d3066d792afd",
      transcriptPath: "/home/user/.gemini/tmp/project/chats/session-2026-11-15T11-22-bead3e26.jsonl",
      cwd: "/tmp/project",
      projectDir: "/tmp/project",
      promptId: "cde3a0c3",
      continued: false,
      isFlagless: true,
      lastMessage: "REPLY 1",
      backgroundTasks: [],
    },
  });
});

test("says when the agent goes on after a block", () => {
  const { payload, surroundings } = recording("gemini", "stop-after-block");

  expect(gemini.parse(payload, surroundings)).toMatchObject({ event: { continued: true } });
});

test("leaves it to our own record after a tool call, when it forgets its flag: the prompt is the same", () => {
  const { payload, surroundings } = recording("gemini", "stop-after-block-and-tool");
  const first = recording("gemini", "stop");

  expect(payload["prompt"]).toBe(first.payload["prompt"]);
  expect(gemini.parse(payload, surroundings)).toMatchObject({
    event: { continued: false, isFlagless: true, promptId: "cde3a0c3" },
  });
});

test("has no event called Stop", () => {
  const { surroundings } = recording("gemini", "stop");

  expect(gemini.parse({ hook_event_name: "BeforeAgent" }, surroundings)).toEqual({
    kind: "other-event",
    name: "BeforeAgent",
  });
});

test("gets the decision as JSON, and the user the notice", () => {
  expect(JSON.parse(gemini.render(blocked).stdout)).toEqual({ decision: "block", reason: blocked.feedback });
  expect(gemini.render(allowed).stdout).toBe("{}\n");
  expect(JSON.parse(gemini.render(gaveUp).stdout)).toEqual({ systemMessage: gaveUp.notice });
});
