import { describe, expect, test } from "vitest";

import { findHost, HOSTS } from "../../src/hosts/host-table.ts";
import { allRecordings } from "../rig/hosts/recorded.ts";
import { allowed, blocked, gaveUp } from "../rig/hosts/verdicts.ts";

test("finds each host by its name, and none by another", () => {
  expect(HOSTS.map((host) => findHost(host.name))).toEqual(HOSTS);
  expect(findHost("goose")).toBeUndefined();
});

describe.each(HOSTS)("$title", (host) => {
  test.each([blocked, allowed, gaveUp])(
    "gets one line of JSON for $status, and never `continue`",
    (verdict) => {
      const { stdout } = host.render({ ...verdict, feedback: "a\r\nb\u2028c \u0000 \ud800" });

      expect(stdout.split("\n")).toEqual([expect.stringMatching(/^\{.*\}$/su), ""]);
      expect(JSON.parse(stdout)).not.toHaveProperty("continue");
    },
  );

  test("is told to go on even when a verdict has no feedback", () => {
    const { feedback: _, ...wordless } = blocked;

    expect(host.render(wordless).stdout).toContain(blocked.message);
  });

  test("reads any payload without falling over", () => {
    const nonsense = {
      cwd: 7,
      session_id: [],
      hook_event_name: {},
      background_tasks: 3,
      workspace_roots: [4],
    };

    expect(host.parse(nonsense, { env: {}, cwd: "/here" })).toMatchObject({
      kind: "stop",
      event: { host: host.name, cwd: "/here", continued: false, backgroundTasks: [] },
    });
  });
});

test("every recorded payload says which client sent it and when", () => {
  for (const { client, recorded } of allRecordings()) {
    expect(client).toMatch(/^@\S+ \d+\.\d+\.\d+$/);
    expect(recorded).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  }
});
