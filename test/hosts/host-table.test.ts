import { describe, expect, test } from "vitest";

import { findHost, HOSTS } from "../../src/hosts/host-table.ts";
import { recogniseHost } from "../../src/hosts/recognise.ts";
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
      const { stdout } = host.render(
        verdict.decision === "block" ? { ...verdict, feedback: "a\r\nb\u2028c \u0000 \ud800" } : verdict,
      );

      expect(stdout.split("\n")).toEqual([expect.stringMatching(/^\{.*\}$/su), ""]);
      expect(JSON.parse(stdout)).not.toHaveProperty("continue");
    },
  );

  test("goes on when it is blocked, and its agent reads the reason", () => {
    expect(host.take(host.render(blocked))).toMatchObject({
      agent: "goes-on",
      agentReads: expect.stringContaining(blocked.feedback ?? ""),
    });
  });

  test.each([allowed, gaveUp])("stops on $status, without a complaint", (verdict) => {
    const taken = host.take(host.render(verdict));

    expect(taken).toMatchObject({ agent: "stops" });
    expect(taken).not.toHaveProperty("problem");
  });

  test("is recognised by a stop made up in its manner, and reads it", () => {
    const stop = { cwd: "/p", sessionId: "s-1", promptId: "t-1", blockedBefore: 1, lastMessage: "Done." };
    const payload = host.sample(stop);
    const surroundings = { env: {}, cwd: "/here" };

    expect(host.parse(payload, surroundings)).toMatchObject({
      kind: "stop",
      event: { host: host.name, sessionId: "s-1", cwd: "/p", continued: true },
    });
    if (host.name !== "unknown") expect(recogniseHost(payload, surroundings)).toBe(host);
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

test.each(allRecordings().filter(({ file }) => file === "stop"))(
  "a stop made up for $host has every field the recorded one has",
  ({ host, payload }) => {
    const stop = { cwd: "/p", sessionId: "s", promptId: "t", blockedBefore: 0, lastMessage: "m" };
    const optional = ["effort"];

    const sample = Object.keys(findHost(host)?.sample(stop) ?? {});

    expect(sample.toSorted()).toEqual(
      Object.keys(payload)
        .filter((key) => !optional.includes(key))
        .toSorted(),
    );
  },
);

test("every recorded payload says which client sent it and when", () => {
  for (const { client, recorded } of allRecordings()) {
    expect(client).toMatch(/^\S+ \d+\.\d+\.\d+$/);
    expect(recorded).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  }
});
