import { projectPath } from "../../src/path.ts";
import { describe, expect, test } from "vitest";
import { isCoveredBy, minutesUntilDue, type PassRecord, type RunRecord } from "../../src/stop/passes.ts";
import { NOTHING_SPENT, openGates, resume } from "../../src/stop/retry-state.ts";

const PASS: PassRecord = {
  runNumber: 5,
  indexName: "tree",
  key: { gates: "g", environment: "e", programs: "p" },
  passed: ["check:.:a"],
  baseCommit: "base",
  status: "passed",
  at: 1,
};
const HERE = { isPassTree: true, baseCommit: "base", reference: "base", openFailures: [] };
const FAILED = (name: string) => ({
  gate: { kind: "check" as const, scope: projectPath("."), name },
  runNumber: 4,
});

describe("a pass speaks for exactly the inputs it had", () => {
  test("the same tree and base, and what the session has open", () => {
    expect(isCoveredBy(PASS, HERE)).toBe(true);
    expect(isCoveredBy(PASS, { ...HERE, openFailures: [FAILED("a")] })).toBe(true);
    expect(isCoveredBy({ ...PASS, since: "base" }, HERE)).toBe(true);
  });

  test.each([
    ["no pass", undefined, HERE],
    ["another tree", PASS, { ...HERE, isPassTree: false }],
    ["a gate that failed and did not run in it", PASS, { ...HERE, openFailures: [FAILED("b")] }],
    ["another base", PASS, { ...HERE, baseCommit: "other" }],
    ["what was wrong in another tree", { ...PASS, since: "other" }, HERE],
    ["no base now", PASS, { ...HERE, baseCommit: undefined }],
  ])("not for %s", (_, pass, here) => {
    expect(isCoveredBy(pass, here)).toBe(false);
  });
});

describe("resuming a session", () => {
  const SPENT = {
    ...NOTHING_SPENT,
    promptId: "p",
    attempts: 2,
    openFailures: [{ gate: { kind: "check" as const, scope: projectPath("."), name: "a" }, runNumber: 5 }],
  };

  test("a later pass closes the gates and the guards that were open", () => {
    const guarded = { ...SPENT, openGuards: [{ id: "guard:.:weakened-tests", runNumber: 6 }] };

    expect(openGates(resume(guarded, { pass: PASS }))).toEqual(guarded.openGuards);
    expect(openGates(resume(guarded, { pass: { ...PASS, runNumber: 6 } }))).toEqual([]);
  });

  test("a later pass closes no failure of a gate that did not run in it", () => {
    const failed = { ...NOTHING_SPENT, openFailures: [FAILED("a"), FAILED("b")] };

    expect(resume(failed, { pass: PASS }).openFailures).toEqual([FAILED("b")]);
  });

  test("the same prompt goes on where it was", () => {
    expect(resume(SPENT, { promptId: "p" })).toEqual(SPENT);
  });

  test("a host that names no prompt goes on too", () => {
    expect(resume(SPENT, {})).toEqual(SPENT);
  });

  test("a new prompt has a new budget, and the same open failures", () => {
    expect(resume(SPENT, { promptId: "q" })).toEqual({ ...SPENT, promptId: "q", attempts: 0 });
  });

  test("after giving up, the same tree stays given up and another one starts afresh", () => {
    const gaveUp = { ...NOTHING_SPENT, attempts: 3, gaveUpOn: "tree" };

    expect(resume(gaveUp, { fingerprint: "tree" })).toEqual(gaveUp);
    expect(resume(gaveUp, { fingerprint: "other" })).toEqual(NOTHING_SPENT);
    expect(resume(gaveUp, {})).toEqual(NOTHING_SPENT);
  });

  test("a later pass closes failures, an earlier one does not", () => {
    expect(resume(SPENT, { pass: { ...PASS, runNumber: 6 } }).openFailures).toEqual([]);
    expect(resume(SPENT, { pass: { ...PASS, runNumber: 4 } }).openFailures).toEqual(SPENT.openFailures);
  });
});

describe("the run interval", () => {
  const NOW = 1_000_000_000;
  test.for([
    ["no run yet", undefined, 10, 0],
    ["just now", ranAt(NOW), 10, 10],
    ["four minutes ago", ranAt(NOW - 4 * 60_000), 10, 6],
    ["ten minutes ago", ranAt(NOW - 10 * 60_000), 10, 0],
    ["in the future", ranAt(NOW + 1), 10, 0],
    ["just now, but the interval is off", ranAt(NOW), 0, 0],
  ] as const)("%s", ([, lastRun, interval, left]) => {
    expect(minutesUntilDue(lastRun, interval, NOW)).toBe(left);
  });
});

function ranAt(completedAt: number): RunRecord {
  return { number: 1, completedAt, merged: false, outcomes: [] };
}
