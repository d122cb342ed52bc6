import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findHost, HOSTS, recogniseHost } from "../../src/hosts/host-table.ts";
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

    const sample = Object.keys(JSON.parse(JSON.stringify(findHost(host)?.sample(stop) ?? {})) as object);

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

describe("the table of docs/hosts.md", () => {
  const docs = join(import.meta.dirname, "../../docs");
  const rows = readFileSync(join(docs, "hosts.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ["))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const named = rows.map(([, agent = "", name = "", , , sure = "", seen = "", when = ""]) => ({
    page: /\((.+)\)/.exec(agent)?.[1] ?? "",
    name: name.replaceAll("`", ""),
    sure,
    seen,
    when,
  }));

  test("has a row and a page for each host, most of them measured", () => {
    expect(named.map(({ name }) => name).toSorted()).toEqual(
      HOSTS.filter(({ registration }) => registration !== undefined)
        .map(({ name }) => name)
        .toSorted(),
    );
    expect(named.every(({ page }) => existsSync(join(docs, page)))).toBe(true);
    expect(named.filter(({ sure }) => sure === "measured").length).toBeGreaterThanOrEqual(10);
  });

  test.each(named)("claims of $name what was recorded of it", ({ name, sure, seen, when }) => {
    const stops = allRecordings().filter(({ host, file }) => host === name && /stop/.test(file));
    const versions = stops.map(({ client }) => client.split(" ")[1] ?? "");

    expect(stops.length > 0).toBe(sure === "measured");
    expect(versions.filter((version) => !seen.split(", ").includes(version))).toEqual([]);
    expect(when).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });
});
