import { expect, test } from "vitest";

import { qwen } from "../../src/hosts/qwen.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { allowed, blocked } from "../rig/hosts/verdicts.ts";

test("reads a stop with its prompt", () => {
  const { payload, surroundings } = recording("qwen", "stop");

  expect(qwen.parse(payload, surroundings)).toMatchObject({
    kind: "stop",
    event: {
      host: "qwen",
      sessionId: "76584a99-181b-47f5-90d7-648d2ee0658e",
      promptId: "76584a99-181b-47f5-90d7-648d2ee0658e########0",
      cwd: "/tmp/project",
      continued: false,
      lastMessage: "REPLY 1",
      permissionMode: "auto",
    },
  });
});

test("is believed when a version that tells the truth says that it goes on after a block", () => {
  const { payload, surroundings } = recording("qwen", "stop-after-block");

  expect(qwen.parse(payload, surroundings)).toMatchObject({ event: { continued: true } });
});

test.each(["stop-0.15", "stop-0.21"])("is not believed in %s, whose flag is always true", (file) => {
  const { payload, surroundings } = recording("qwen", file);

  expect(payload["stop_hook_active"]).toBe(true);
  expect(qwen.parse(payload, surroundings)).toMatchObject({ event: { continued: false } });
});

test("lists the background agents that still run", () => {
  const { payload, surroundings } = recording("qwen", "stop");
  const tasks = [
    { id: "1", status: "running", agent_type: "general", description: "look around" },
    { id: "2", status: "completed", agent_type: "general", description: "over" },
  ];

  expect(qwen.parse({ ...payload, background_tasks: tasks }, surroundings)).toMatchObject({
    event: { backgroundTasks: [{ kind: "agent", description: "look around" }] },
  });
});

test("gets the decision as JSON", () => {
  expect(JSON.parse(qwen.render(blocked).stdout)).toEqual({ decision: "block", reason: blocked.feedback });
  expect(qwen.render(allowed).stdout).toBe("{}\n");
});
