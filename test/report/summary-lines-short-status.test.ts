import { expect, test } from "vitest";
import type { PastRun } from "../../src/stop/passes.ts";
import { shortStatus } from "../../src/report/summary-lines.ts";

const NOW = Date.UTC(2026, 10, 16);

function run(status: string, ...red: string[]): PastRun {
  const outcomes = red.map((name) => ({ kind: "failed", name, warnOnly: false }));
  return { status, completedAt: NOW - 125_000, outcomes } as unknown as PastRun; // no more is looked at
}

test.each([
  ["○ gates have not run", {}],
  ["… gates 12 s", { runningSince: NOW - 12_300, lastRun: run("passed") }],
  ["… test 12 s", { runningSince: NOW - 12_300, runningGates: ["test"] }],
  ["… a, b, c +1 2 m", { runningSince: NOW - 125_000, runningGates: ["a", "b", "c", "d"] }],
  ["✓ gates 2 m ago", { lastRun: run("passed") }],
  ["! gates 2 m ago", { lastRun: run("passed_with_warnings") }],
  ["✗ gates 2 m ago", { lastRun: run("error") }],
  ["✗ test, lint (2 left)", { lastRun: run("failed", "test", "lint", "test"), attemptsLeft: 2 }],
  ["✗ a, b, c +1", { lastRun: run("failed", "a", "b", "c", "d") }],
])("%s", (line, facts) => {
  expect(shortStatus({ now: NOW, ...facts })).toBe(line);
});
