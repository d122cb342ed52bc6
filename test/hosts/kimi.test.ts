import { expect, test } from "vitest";

import { kimi } from "../../src/hosts/kimi.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { allowed, blocked } from "../rig/hosts/verdicts.ts";

test("reads a stop", () => {
  const { payload, surroundings } = recording("kimi", "stop");

  expect(kimi.parse(payload, surroundings)).toEqual({
    kind: "stop",
    event: {
      host: "kimi",
      sessionId: "session_d15f5538-b51c-40ca-8386-e37588ff3458",
      cwd: "/tmp/project",
      continued: false,
      backgroundTasks: [],
    },
  });
});

test("is blocked by a denied permission, with nothing on stderr that its model would read", () => {
  expect(kimi.render(blocked)).toEqual({
    stdout: `${JSON.stringify({
      hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: blocked.feedback },
    })}\n`,
    stderr: "",
    exitCode: 0,
  });
  expect(kimi.render(allowed).stdout).toBe("{}\n");
});

test("ignores a decision", () => {
  const stdout = `${JSON.stringify({ decision: "block", reason: "fix it" })}\n`;

  expect(kimi.take({ stdout, stderr: "", exitCode: 0 })).toEqual({ agent: "stops" });
});

test("takes exit code 2 as a block, with all of stderr as the reason", () => {
  expect(kimi.take({ stdout: "", stderr: "fix it\n", exitCode: 2 })).toEqual({
    agent: "goes-on",
    agentReads: "fix it",
  });
});
