import { expect, test } from "vitest";
import { findHost, recogniseHost } from "../../src/hosts/host-table.ts";
import { readSessionEvent } from "../../src/hosts/read-session.ts";
import { allRecordings } from "../rig/hosts/recorded.ts";
import { allowed, blocked } from "../rig/hosts/verdicts.ts";

const surroundings = { env: {}, cwd: "/where/we/run" };

const beginnings = allRecordings().filter(({ file }) => ["session-start", "prompt"].includes(file));
const ends = allRecordings().filter(
  (one) => !beginnings.some(({ host, file }) => one.host === host && one.file === file),
);

test.each(ends)("$host is recognised by its own $file", ({ host, payload, surroundings }) => {
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

test.each(beginnings)("the $file of $host names the session as its stops do", ({ host, payload }) => {
  const cwd = String(payload["cwd"]);
  const read = readSessionEvent(JSON.stringify(payload), "/elsewhere");
  const sessionId = read?.sessionId ?? "";
  const stop = findHost(host)?.sample({ cwd, sessionId, promptId: "p", blockedBefore: 0, lastMessage: "m" });

  expect(sessionId).toMatch(/[\da-f]{8}-/);
  expect(read).toMatchObject({ cwd: "/tmp/project" });
  expect(findHost(host)?.parse(stop ?? {}, { env: {}, cwd })).toMatchObject({ event: { sessionId, cwd } });
});

test("Cursor names a session by its conversation, and its directory by the workspace", () => {
  const event = { conversation_id: "c-1", workspace_roots: ["/w"], hook_event_name: "sessionStart" };

  expect(readSessionEvent(JSON.stringify(event), "/elsewhere")).toMatchObject({
    sessionId: "c-1",
    cwd: "/w",
  });
  expect(readSessionEvent("{}", "/elsewhere")).toMatchObject({ sessionId: undefined, cwd: "/elsewhere" });
  expect(readSessionEvent("[]", "/elsewhere")).toBeUndefined();
});
