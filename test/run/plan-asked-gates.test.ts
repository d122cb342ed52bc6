import { describe, expect, test } from "vitest";
import { gateSelector, matchesSomeGate } from "../../src/run/plan.ts";
import { projectPath } from "../../src/path.ts";
import type { EntryPoint } from "../../src/config/settings.ts";

const WEB_TEST = { kind: "check", scope: projectPath("packages/web"), name: "test" } as const;

describe("what is asked for", () => {
  test.each([
    ["test", true],
    ["te*", true],
    ["check:packages/web:test", true],
    ["packages/web", true],
    ["./packages/web/", true],
    ["packages/*", true],
    ["packages", false],
    ["packages/api", false],
    ["lint", false],
  ])("%s: a gate of packages/web called test is meant: %s", (asked, isMeant) => {
    expect(gateSelector([asked])(WEB_TEST)).toBe(isMeant);
  });
});

describe("what can be asked for", () => {
  const entryPoints = ["packages/*", "docs"].map(
    (path) => ({ path, exclude: [], gates: [{ kind: "check", name: "test" }] }) as unknown as EntryPoint, // no more is looked at
  );

  test.each([
    ["test", true],
    ["check:packages/new:test", true],
    ["packages/new", true],
    ["packages/*", true],
    ["packages/w*", true],
    ["docs", true],
    ["tset", false],
    ["src/*", false],
    ["doc", false],
  ])("%s: %s", (asked, isKnown) => {
    expect(matchesSomeGate(asked, entryPoints)).toBe(isKnown);
  });
});
