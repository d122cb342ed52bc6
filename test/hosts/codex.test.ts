import { expect, test } from "vitest";

import { codex } from "../../src/hosts/codex.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { allowed, blocked, gaveUp } from "../rig/hosts/verdicts.ts";

test("reads a stop, with the turn as its prompt", () => {
  const { payload, surroundings } = recording("codex", "stop");

  expect(codex.parse(payload, surroundings)).toEqual({
    kind: "stop",
    event: {
      host: "codex",
      sessionId: "01a1def1-a70e-72e0-a07a-19d7b7fabb0e",
      transcriptPath:
        "/home/user/sessions/2026/11/15/rollout-2026-11-15T11-22-21-01a1def1-a70e-72e0-a07a-19d7b7fabb0e.jsonl",
      promptId: "01a1def1-a738-7c21-a7c3-5bfcff451523",
      cwd: "/tmp/project",
      continued: false,
      lastMessage: "REPLY 1",
      permissionMode: "bypassPermissions",
      backgroundTasks: [],
    },
  });
});

test("stays in the same turn after a block", () => {
  const { payload, surroundings } = recording("codex", "stop-after-block");

  expect(codex.parse(payload, surroundings)).toMatchObject({
    event: { continued: true, promptId: "01a1def1-a738-7c21-a7c3-5bfcff451523" },
  });
});

test("gets the decision and what its user must know, and no key it does not know, which would make it drop the answer", () => {
  expect(codex.render(blocked)).toEqual({
    stdout: `${JSON.stringify({ decision: "block", reason: blocked.feedback })}\n`,
    stderr: "",
    exitCode: 0,
  });
  expect(codex.render(allowed)).toEqual({ stdout: "{}\n", stderr: "", exitCode: 0 });
  expect(codex.render(gaveUp).stdout).toBe(`${JSON.stringify({ systemMessage: gaveUp.notice })}\n`);
  expect(codex.take(codex.render(gaveUp))).toEqual({ agent: "stops", personSees: gaveUp.notice });
});
