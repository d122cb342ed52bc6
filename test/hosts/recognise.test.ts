import { expect, test } from "vitest";

import { recogniseHost } from "../../src/hosts/recognise.ts";
import { allRecordings } from "../rig/hosts/recorded.ts";
import { allowed, blocked } from "../rig/hosts/verdicts.ts";

const surroundings = { env: {}, cwd: "/where/we/run" };

test.each(allRecordings())("$host is recognised by its own $file", ({ host, payload, surroundings }) => {
  expect(recogniseHost(payload, surroundings).name).toBe(host);
});

test.each([
  ["nothing", {}],
  ["a directory alone", { cwd: "/p" }],
  ["the flag alone", { stop_hook_active: true }],
  ["Claude Code's fields and one it does not know", { session_id: "s", cwd: "/p", colour: "red" }],
  ["another event of Claude Code", { hook_event_name: "SubagentStop" }],
  ["an event name that is no text", { hook_event_name: 7 }],
])("speaks Claude Code's protocol for a payload with %s", (_, payload) => {
  expect(recogniseHost(payload, surroundings).name).toBe("claude-code");
});

test.each([
  ["an event name no host has", { hook_event_name: "on_done", cwd: "/p" }],
  ["fields no host has", { conversation: "c", folder: "/p" }],
])("knows no host for a payload with %s, and answers with the decision alone", (_, payload) => {
  const host = recogniseHost(payload, surroundings);

  expect(host.name).toBe("unknown");
  expect(host.render(blocked).stdout).toBe(
    `${JSON.stringify({ decision: "block", reason: blocked.feedback })}\n`,
  );
  expect(host.render(allowed).stdout).toBe("{}\n");
});
