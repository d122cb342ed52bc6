import { expect, test } from "vitest";

import { copilot } from "../../src/hosts/copilot.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { allowed, blocked } from "../rig/hosts/verdicts.ts";

test("reads the camelCase of agentStop", () => {
  const { payload, surroundings } = recording("copilot", "agent-stop");

  expect(copilot.parse(payload, surroundings)).toEqual({
    kind: "stop",
    event: {
      host: "copilot",
      sessionId: "721e9418-74da-4eac-99d3-12360b3f7e60",
      transcriptPath: "/home/user/.copilot/session-state/721e9418-74da-4eac-99d3-12360b3f7e60/events.jsonl",
      cwd: "/tmp/project",
      continued: false,
      hostVersion: "1.0.102",
      stopReason: "end_turn",
      backgroundTasks: [],
    },
  });
});

test.each(["stop", "stop-from-claude-settings"])("reads the snake_case of %s", (file) => {
  const { payload, surroundings } = recording("copilot", file);

  expect(copilot.parse(payload, surroundings)).toMatchObject({
    kind: "stop",
    event: {
      sessionId: payload["session_id"],
      cwd: "/tmp/project",
      continued: false,
      stopReason: "end_turn",
    },
  });
});

test.each(["agent-stop-after-block", "stop-after-block"])("says in %s that the agent goes on", (file) => {
  const { payload, surroundings } = recording("copilot", file);

  expect(copilot.parse(payload, surroundings)).toMatchObject({ event: { continued: true } });
});

test("gets JSON and exit code 0, because it does not listen to exit code 2", () => {
  expect(copilot.render(blocked)).toEqual({
    stdout: `${JSON.stringify({ decision: "block", reason: blocked.feedback })}\n`,
    stderr: "",
    exitCode: 0,
  });
  expect(copilot.render(allowed).stdout).toBe("{}\n");
});
