import { expect, test } from "vitest";
import type { GateOutcome } from "../../../src/core/outcome.ts";
import { projectPath } from "../../../src/core/path.ts";
import {
  findPass,
  findProof,
  flakyTests,
  type VerdictRecord,
  verdictRecord,
} from "../../../src/core/record/verdict-record.ts";

const CLAIM = { tree: "t", gates: "g" };

function record(facts: Partial<VerdictRecord> = {}): VerdictRecord {
  return {
    at: 1,
    ms: 1,
    door: "stop-hook",
    status: "passed",
    tree: "t",
    gates: "g",
    whole: true,
    outcomes: [{ id: "check:.:a", kind: "passed", ms: 1 }],
    version: "0.1.0",
    prev: "",
    ...facts,
  };
}

function part(facts: Partial<VerdictRecord> = {}): VerdictRecord {
  const { whole: _whole, ...rest } = record(facts);
  return rest;
}

test.for([
  ["no verdict at all", [], "no verdict is recorded for these files"],
  ["another tree", [record({ tree: "other" })], "no verdict is recorded for these files"],
  ["other gates", [record({ gates: "other" })], "these files were judged, but by other gates"],
  ["a part", [part()], "only some gates were run on these files, or the files changed meanwhile"],
  ["a later failure", [record({ status: "failed" }), record()], "the last verdict on these files is failed"],
  [
    "a later failure of a part",
    [part({ status: "failed" }), record()],
    "the last verdict on these files is failed",
  ],
  [
    "giving up",
    [record({ status: "retry_limit_exceeded" })],
    "the last verdict on these files is retry_limit_exceeded",
  ],
  [
    "a stop that was not checked",
    [part({ status: "lock_conflict" })],
    "no verdict is recorded for these files",
  ],
] as const)("%s is no pass", ([, records, reason]) => {
  expect(findPass(records, CLAIM)).toEqual({ kind: "no-pass", reason });
});

test("a line has half of the gates' hash, and is found by the whole; a part of the gates stays a part", () => {
  const gates = "0123456789abcdef".repeat(4);
  const facts = {
    at: 1,
    ms: 2,
    door: "stop-hook",
    status: "passed",
    version: "0.1.0",
    outcomes: [],
  } as const;
  const ofAll = verdictRecord({ ...facts, judged: { gates, tree: "t", whole: true } });
  const ofPart = verdictRecord({
    ...facts,
    judged: { gates: `${gates}@subagent_stop`, tree: "t", whole: true },
  });

  expect(ofAll.gates).toBe(gates.slice(0, 32));
  expect(findPass([{ ...ofAll, prev: "" }], { tree: "t", gates })).toMatchObject({ kind: "pass" });
  expect(findPass([{ ...ofPart, prev: "" }], { tree: "t", gates })).toMatchObject({ kind: "no-pass" });
});

test("a pass counts, also after a failure, with warnings, and behind stops that decided nothing", () => {
  const pass = record({ status: "passed_with_warnings" });

  const found = findPass([part({ status: "lock_conflict" }), pass, record({ status: "failed" })], CLAIM);

  expect(found).toEqual({ kind: "pass", record: pass });
});

test("a proof is a run that rests on no baseline and no rerun; an earlier one of the same files will do", () => {
  const { outcomes: _none, ...reused } = record({ rests: ["reuse"] });
  const baseline = record({ rests: ["reuse", "baseline"] });
  const ran = record({ run: 1 });

  expect(findProof([reused, baseline, ran], CLAIM)).toEqual({ kind: "pass", record: ran });
  expect(findProof([reused, baseline], CLAIM)).toMatchObject({
    kind: "no-pass",
    reason: expect.stringContaining("baseline"),
  });
  expect(findProof([record({ rests: ["rerun"] })], CLAIM)).toMatchObject({
    reason: expect.stringContaining("rerun"),
  });
  expect(findProof([reused], CLAIM)).toMatchObject({ reason: "the run that passed is no longer recorded" });
});

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

test("flaky tests are counted with their first and last day, the most frequent first", () => {
  const flickered = (at: number, ...flaky: readonly string[]) =>
    record({ at, outcomes: [{ id: "check:.:a", kind: "passed", ms: 1, rests: "rerun", flaky }] });

  expect(
    flakyTests([flickered(40), flickered(30, "adds"), record(), flickered(10, "adds", "divides")]),
  ).toEqual([
    { gate: "check:.:a", test: "adds", times: 2, firstAt: 10, lastAt: 30 },
    { gate: "check:.:a", test: "", times: 1, firstAt: 40, lastAt: 40 },
    { gate: "check:.:a", test: "divides", times: 1, firstAt: 10, lastAt: 10 },
  ]);
});
