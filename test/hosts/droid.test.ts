import { expect, test } from "vitest";

import { droid } from "../../src/hosts/droid.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { allowed, blocked } from "../rig/hosts/verdicts.ts";

test("reads a stop", () => {
  const { payload, surroundings } = recording("droid", "stop");

  expect(droid.parse(payload, surroundings)).toEqual({
    kind: "stop",
    event: {
      host: "droid",
      sessionId: "12bd2671-17de-4286-87ff-a720a52427d7",
      transcriptPath: "/home/user/.factory/sessions/-tmp-project/12bd2671-17de-4286-87ff-a720a52427d7.jsonl",
      cwd: "/tmp/project",
      projectDir: "/tmp/project",
      continued: false,
      permissionMode: "auto-low",
      backgroundTasks: [],
    },
  });
});

test("says when the agent goes on after a block", () => {
  const { payload, surroundings } = recording("droid", "stop-after-block");

  expect(droid.parse(payload, surroundings)).toMatchObject({ event: { continued: true } });
});

test("gets the decision as JSON", () => {
  expect(JSON.parse(droid.render(blocked).stdout)).toEqual({ decision: "block", reason: blocked.feedback });
  expect(droid.render(allowed).stdout).toBe("{}\n");
});
