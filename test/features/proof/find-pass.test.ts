import { expect, test } from "vitest";
import { findPass, findProof } from "../../../src/features/proof/find-pass.ts";
import { type VerdictRecord, verdictRecord } from "../../../src/ledger/verdict-record.ts";

const environments = new Set(["e"]);
const CLAIM = { tree: "t", gates: "g", environments };

function record(facts: Partial<VerdictRecord> = {}): VerdictRecord {
  return {
    at: 1,
    ms: 1,
    door: "stop-hook",
    status: "passed",
    tree: "t",
    gates: "g",
    whole: true,
    environment: "e",
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
  ["another environment", [record({ environment: "o" })], "these files passed, but in another environment"],
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
  const ofAll = verdictRecord({
    ...facts,
    judged: { gates, tree: "t", whole: true, environment: "e" },
  });
  const ofPart = verdictRecord({
    ...facts,
    judged: { gates: `${gates}@subagent_stop`, tree: "t", whole: true, environment: "e" },
  });

  const claim = { tree: "t", gates, environments };

  expect(ofAll.gates).toBe(gates.slice(0, 32));
  expect(findPass([{ ...ofAll, prev: "" }], claim)).toMatchObject({ kind: "pass" });
  expect(findPass([{ ...ofAll, prev: "" }], { ...claim, gates: `${gates}@ci` })).toMatchObject({
    kind: "pass",
  });
  expect(findPass([{ ...ofPart, prev: "" }], claim)).toMatchObject({ kind: "no-pass" });
});

test("a pass counts, also after a failure, with warnings, and behind stops that decided nothing", () => {
  const pass = record({ status: "passed_with_warnings" });

  const found = findPass([part({ status: "lock_conflict" }), pass, record({ status: "failed" })], CLAIM);

  expect(found).toEqual({ kind: "pass", record: pass });
});

test("a pass of a person at a terminal counts in any environment", () => {
  const pass = record({ environment: "o", byUser: true });

  expect(findPass([pass], CLAIM)).toEqual({ kind: "pass", record: pass });
  expect(findProof([pass], CLAIM)).toEqual({ kind: "pass", record: pass });
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
