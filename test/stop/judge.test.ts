import { describe, expect, test } from "vitest";
import { NOTHING_SPENT, openGates, type RetryState } from "../../src/stop/retry-state.ts";
import { type Budget, judge } from "../../src/stop/judge.ts";
import { type GateOutcome, OUTCOME_KINDS } from "../../src/gates/outcome.ts";
import { projectPath } from "../../src/path.ts";

type Kind = GateOutcome["kind"];

function outcome(kind: Kind, more: Partial<GateOutcome> = {}): GateOutcome {
  const base = {
    id: `check:.:${kind}`,
    gate: "check",
    name: kind,
    scope: projectPath("."),
    workingDirectory: projectPath("."),
    warnOnly: false,
    durationMs: 1,
    detail: "why",
    afterMs: 1,
    blocks: false,
  };
  return { ...base, kind, ...more } as GateOutcome; // one object with the fields of every kind
}

const BUDGET: Budget = {
  maxRetries: 3,
  maxBlocks: 7,
  policy: { whenStuck: "continue", extendOnProgress: false },
  runNumber: 7,
  fingerprint: "tree",
};
const RED: RetryState = {
  ...NOTHING_SPENT,
  attempts: 1,
  openFailures: [{ gate: { kind: "check", scope: projectPath("."), name: "failed" }, runNumber: 6 }],
};

describe("what outcomes mean", () => {
  const MEANING: Readonly<Record<Kind, string>> = {
    passed: "passed",
    failed: "failed",
    "timed-out": "failed",
    errored: "error",
    unavailable: "passed_with_warnings",
    cancelled: "error",
    skipped: "passed_with_warnings",
  };

  test.each(OUTCOME_KINDS)("%s alone", (kind) => {
    expect(judge([outcome(kind)], NOTHING_SPENT, BUDGET).status).toBe(MEANING[kind]);
  });

  test.each(OUTCOME_KINDS)("%s beside a gate that passed", (kind) => {
    expect(judge([outcome("passed"), outcome(kind)], NOTHING_SPENT, BUDGET).status).toBe(MEANING[kind]);
  });

  test.each(OUTCOME_KINDS)("%s beside a gate that failed", (kind) => {
    expect(judge([outcome(kind), outcome("failed")], NOTHING_SPENT, BUDGET).status).toBe("failed");
  });

  test.each(["failed", "timed-out"] as const)("%s of a warn_only gate", (kind) => {
    const judged = judge([outcome(kind, { warnOnly: true })], NOTHING_SPENT, BUDGET);

    expect(judged).toEqual({ status: "passed_with_warnings", retries: NOTHING_SPENT });
  });

  test("a gate that passed with a warning", () => {
    expect(judge([outcome("passed", { warning: "hm" })], NOTHING_SPENT, BUDGET).status).toBe(
      "passed_with_warnings",
    );
  });
});

describe("what a run costs", () => {
  test("a block costs one attempt, however many gates failed", () => {
    const judged = judge([outcome("failed"), outcome("timed-out")], NOTHING_SPENT, BUDGET);

    expect(judged).toMatchObject({ retries: { attempts: 1 }, attemptsLeft: 2 });
  });

  test.each([
    [0, ["retry_limit_exceeded", "retry_limit_exceeded"]],
    [1, ["failed", "retry_limit_exceeded", "retry_limit_exceeded"]],
    [3, ["failed", "failed", "failed", "retry_limit_exceeded"]],
  ])("max_retries %i: blocks so many times, then gives up", (maxRetries, statuses) => {
    let retries = NOTHING_SPENT;
    const given = statuses.map(() => {
      const judged = judge([outcome("failed")], retries, { ...BUDGET, maxRetries });
      retries = judged.retries;
      return judged.status;
    });

    expect(given).toEqual(statuses);
  });

  test("giving up remembers the tree and closes what was open", () => {
    const { retries } = judge([outcome("failed")], { ...RED, attempts: 3, promptId: "p" }, BUDGET);

    expect(retries).toEqual({ ...NOTHING_SPENT, attempts: 3, promptId: "p", gaveUpOn: "tree" });
  });

  test.each(["errored", "cancelled"] as const)("%s costs no attempt and closes no failure", (kind) => {
    expect(judge([outcome(kind)], RED, BUDGET).retries).toEqual(RED);
  });

  test("something unavailable that blocks does so once, and costs no attempt", () => {
    const gone = [outcome("unavailable", { blocks: true })];

    const first = judge(gone, NOTHING_SPENT, BUDGET);
    const second = judge(gone, first.retries, BUDGET);

    expect(first).toMatchObject({ status: "failed", retries: { attempts: 0 } });
    expect(second.status).toBe("retry_limit_exceeded");
  });
});

describe("open failures", () => {
  test("a gate that fails is open until it passes", () => {
    const failed = judge([outcome("failed")], NOTHING_SPENT, BUDGET);
    const passed = judge([outcome("passed", { name: "failed" })], failed.retries, BUDGET);

    expect(failed.retries.openFailures).toEqual([
      { gate: { kind: "check", scope: projectPath("."), name: "failed" }, runNumber: 7 },
    ]);
    expect(passed.retries).toEqual(NOTHING_SPENT);
  });

  test("a guard that blocks is open until it finds nothing, and a run without guards does not close it", () => {
    const id = "guard:.:weakened-tests";
    const found = outcome("failed", { id, gate: "guard", name: "weakened-tests" });
    const quiet = outcome("passed", { id, gate: "guard", name: "weakened-tests" });
    const red = outcome("failed");

    const blocked = judge([outcome("passed"), found], NOTHING_SPENT, BUDGET);
    const without = judge([red], blocked.retries, BUDGET);
    const undone = judge([red, quiet], blocked.retries, BUDGET);

    expect(openGates(blocked.retries)).toEqual([{ id, runNumber: 7 }]);
    expect(openGates(without.retries).map((one) => one.id)).toEqual(["check:.:failed", id]);
    expect(openGates(undone.retries).map((one) => one.id)).toEqual(["check:.:failed"]);
    expect(judge([quiet], blocked.retries, BUDGET).retries).toEqual(NOTHING_SPENT);
  });

  test("while another failure is open the budget stays as spent as it is", () => {
    const { status, retries } = judge([outcome("passed")], RED, BUDGET);

    expect(status).toBe("passed");
    expect(retries).toEqual(RED);
  });

  test("after the last one the budget is whole again, for the same prompt", () => {
    const { retries } = judge(
      [outcome("passed", { name: "failed" })],
      { ...RED, promptId: "p", deferredFor: "p" },
      BUDGET,
    );

    expect(retries).toEqual({ ...NOTHING_SPENT, promptId: "p", deferredFor: "p" });
  });
});

describe("loops that go nowhere, and loops that get somewhere (retry)", () => {
  const SAME = { isSame: true, isBetter: false };
  const BETTER = { isSame: false, isBetter: true };
  const WORSE = { isSame: false, isBetter: false };

  test("when_stuck: stop ends the loop at the third attempt with the identical problems", () => {
    const policy = { whenStuck: "stop", extendOnProgress: false } as const;

    expect(play({ maxRetries: 10, maxBlocks: 10, policy }, [undefined, SAME, SAME])).toEqual([
      "failed",
      "failed",
      "retry_limit_exceeded",
    ]);
    expect(play({ maxRetries: 10, maxBlocks: 10, policy }, [undefined, SAME, WORSE, SAME])).toEqual(
      Array.from({ length: 4 }, () => "failed"),
    );
  });

  test("by default the identical problems only use the budget up", () => {
    expect(play({}, [undefined, SAME, SAME, SAME])).toEqual([
      "failed",
      "failed",
      "failed",
      "retry_limit_exceeded",
    ]);
  });

  test("extend_on_progress: an attempt that fixed something is free, up to the host's cap", () => {
    const policy = { whenStuck: "continue", extendOnProgress: true } as const;
    const better = Array.from({ length: 9 }, () => BETTER);

    expect(play({ maxRetries: 1, maxBlocks: 4, policy }, [undefined])).toEqual(["failed"]);
    expect(play({ maxRetries: 2, maxBlocks: 4, policy }, [undefined, ...better.slice(0, 4)])).toEqual([
      "failed",
      "failed",
      "failed",
      "failed",
      "retry_limit_exceeded",
    ]);
    expect(play({ maxRetries: 2, maxBlocks: 7, policy }, [undefined, BETTER, WORSE, BETTER, WORSE])).toEqual([
      "failed",
      "failed",
      "failed",
      "failed",
      "retry_limit_exceeded",
    ]);
  });
});

/** The result of each attempt of a loop, given how it compares with the one before. */
function play(budget: Partial<Budget>, attempts: readonly Budget["progress"][]): readonly string[] {
  let retries = NOTHING_SPENT;
  return attempts.map((progress) => {
    const judged = judge([outcome("failed")], retries, { ...BUDGET, ...budget, progress });
    retries = judged.retries;
    return judged.status;
  });
}
