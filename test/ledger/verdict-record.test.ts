import { expect, test } from "vitest";
import type { GateOutcome } from "../../src/gates/outcome.ts";
import { projectPath } from "../../src/path.ts";
import { flakyTests, verdictRecord } from "../../src/ledger/verdict-record.ts";

test("a line says of each gate whether it blocks, warns, and what it rests on, once for the whole", () => {
  const common = {
    gate: "check" as const,
    scope: projectPath("."),
    workingDirectory: projectPath("."),
    warnOnly: false,
  };
  const outcomes: readonly GateOutcome[] = [
    { ...common, id: "a", name: "a", kind: "passed", durationMs: 1.4 },
    { ...common, id: "b", name: "b", kind: "passed", durationMs: 0, reused: "it passed before" },
    {
      ...common,
      id: "c",
      name: "c",
      kind: "passed",
      durationMs: 2,
      warning: "older problems",
      rests: "baseline",
    },
    { ...common, id: "d", name: "d", kind: "failed", durationMs: 3, detail: "a secret" },
    { ...common, id: "e", name: "e", kind: "failed", durationMs: 4, detail: "", warnOnly: true },
  ];

  const line = verdictRecord({ at: 1, ms: 2, door: "run", status: "failed", version: "0.1.0", outcomes });

  expect(line.outcomes).toEqual([
    { id: "a", kind: "passed", ms: 1 },
    { id: "b", kind: "passed", ms: 0, rests: "reuse" },
    { id: "c", kind: "passed", ms: 2, warns: true, rests: "baseline" },
    { id: "d", kind: "failed", ms: 3, blocks: true },
    { id: "e", kind: "failed", ms: 4, warns: true },
  ]);
  expect(line.rests).toEqual(["reuse", "baseline"]);
  expect(JSON.stringify(line)).not.toContain("secret");
});

const flickered = (at: number, ...flaky: readonly string[]) => ({
  at,
  outcomes: [{ id: "check:.:a", kind: "passed" as const, ms: 1, rests: "rerun" as const, flaky }],
});

test("flaky tests are counted with their first and last day, the most frequent first", () => {
  expect(
    flakyTests([flickered(40), flickered(30, "adds"), { at: 20 }, flickered(10, "adds", "divides")]),
  ).toEqual([
    { gate: "check:.:a", test: "adds", times: 2, firstAt: 10, lastAt: 30 },
    { gate: "check:.:a", test: "", times: 1, firstAt: 40, lastAt: 40 },
    { gate: "check:.:a", test: "divides", times: 1, firstAt: 10, lastAt: 10 },
  ]);
});
