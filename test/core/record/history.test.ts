import { projectPath } from "../../../src/core/path.ts";
import { describe, expect, test } from "vitest";
import {
  isCoveredBy,
  minutesUntilDue,
  NEW_SESSION,
  openGates,
  type PassRecord,
  resumeSession,
  type RunRecord,
} from "../../../src/core/record/history.ts";

const PASS: PassRecord = {
  runNumber: 5,
  tree: "tree",
  gateHash: "gates",
  baseCommit: "base",
  status: "passed",
  at: 1,
};
const HERE = { isPassTree: true, gateHash: "gates", baseCommit: "base", reference: "base" };

describe("a pass speaks for exactly the inputs it had", () => {
  test("the same tree, gates and base", () => {
    expect(isCoveredBy(PASS, HERE)).toBe(true);
    expect(isCoveredBy({ ...PASS, since: "base" }, HERE)).toBe(true);
  });

  test.each([
    ["no pass", undefined, HERE],
    ["another tree", PASS, { ...HERE, isPassTree: false }],
    ["other gates", PASS, { ...HERE, gateHash: "other" }],
    ["another base", PASS, { ...HERE, baseCommit: "other" }],
    ["what was wrong in another tree", { ...PASS, since: "other" }, HERE],
    ["no base now", PASS, { ...HERE, baseCommit: undefined }],
  ])("not for %s", (_, pass, here) => {
    expect(isCoveredBy(pass, here)).toBe(false);
  });
});

describe("resuming a session", () => {
  const SPENT = {
    ...NEW_SESSION,
    promptId: "p",
    attempts: 2,
    openFailures: [{ gate: { kind: "check" as const, scope: projectPath("."), name: "a" }, runNumber: 5 }],
  };

  test("a later pass closes the gates and the guards that were open", () => {
    const guarded = { ...SPENT, openGuards: [{ id: "guard:.:weakened-tests", runNumber: 6 }] };

    expect(openGates(resumeSession(guarded, { pass: PASS }))).toEqual(guarded.openGuards);
    expect(openGates(resumeSession(guarded, { pass: { ...PASS, runNumber: 6 } }))).toEqual([]);
  });

  test("the same prompt goes on where it was", () => {
    expect(resumeSession(SPENT, { promptId: "p" })).toEqual(SPENT);
  });

  test("a host that names no prompt goes on too", () => {
    expect(resumeSession(SPENT, {})).toEqual(SPENT);
  });

  test("a new prompt has a new budget, and the same open failures", () => {
    expect(resumeSession(SPENT, { promptId: "q" })).toEqual({ ...SPENT, promptId: "q", attempts: 0 });
  });

  test("after giving up, the same tree stays given up and another one starts afresh", () => {
    const gaveUp = { ...NEW_SESSION, attempts: 3, gaveUpOn: "tree" };

    expect(resumeSession(gaveUp, { fingerprint: "tree" })).toEqual(gaveUp);
    expect(resumeSession(gaveUp, { fingerprint: "other" })).toEqual(NEW_SESSION);
    expect(resumeSession(gaveUp, {})).toEqual(NEW_SESSION);
  });

  test("a later pass closes failures, an earlier one does not", () => {
    expect(resumeSession(SPENT, { pass: { ...PASS, runNumber: 6 } }).openFailures).toEqual([]);
    expect(resumeSession(SPENT, { pass: { ...PASS, runNumber: 4 } }).openFailures).toEqual(
      SPENT.openFailures,
    );
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
