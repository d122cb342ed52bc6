import { expect, test } from "vitest";

import { cursor } from "../../src/hosts/cursor.ts";
import { recogniseHost } from "../../src/hosts/host-table.ts";
import { allowed, blocked } from "../rig/hosts/verdicts.ts";

const surroundings = { env: {}, cwd: "/where/we/run" };

/** The fields Cursor's documentation lists (2026-11-15): there is no client to record here. */
const documented = {
  conversation_id: "c-1",
  generation_id: "g-1",
  hook_event_name: "stop",
  cursor_version: "3.7.21",
  model: "some-model",
  workspace_roots: ["/tmp/project"],
  status: "completed",
  loop_count: 0,
};

test("is recognised by its conversation", () => {
  expect(recogniseHost(documented, surroundings).name).toBe("cursor");
});

test("reads a stop in the first workspace", () => {
  expect(cursor.parse(documented, surroundings)).toEqual({
    kind: "stop",
    event: {
      host: "cursor",
      sessionId: "c-1",
      cwd: "/tmp/project",
      continued: false,
      hostVersion: "3.7.21",
      stopReason: "completed",
      backgroundTasks: [],
    },
  });
});

test("counts a follow-up as going on after a block", () => {
  expect(cursor.parse({ ...documented, loop_count: 2 }, surroundings)).toMatchObject({
    event: { continued: true },
  });
});

test.each(["aborted", "error"])("is not asked to go on when the user or an error ended it: %s", (status) => {
  expect(cursor.parse({ ...documented, status }, surroundings)).toEqual({
    kind: "other-event",
    name: `stop (${status})`,
  });
});

test("gets the reason as its next message", () => {
  expect(JSON.parse(cursor.render(blocked).stdout)).toEqual({ followup_message: blocked.feedback });
  expect(cursor.render(allowed).stdout).toBe("{}\n");
});
