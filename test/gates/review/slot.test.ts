import { describe, expect, test } from "vitest";
import { type Finding, identify } from "../../../src/gates/review/finding.ts";
import { projectPath } from "../../../src/path.ts";
import {
  nextStep,
  openFindings,
  type ReviewSlot,
  skippedFindings,
  withAnswers,
  withSafetyLatch,
} from "../../../src/gates/review/slot.ts";

const finding = (issue: string, over: Partial<Finding> = {}): Finding => ({
  ...identify({ file: projectPath("a.ts"), line: 1, issue, fix: "", priority: "high" }),
  ...over,
});
const slot = (over: Partial<ReviewSlot> = {}): ReviewSlot => ({
  gate: "review:.:r",
  slot: 1,
  round: 1,
  reviewer: "claude",
  tree: "t1",
  findings: [],
  confirmed: [],
  ...over,
});
const going = { startsOver: false, changed: true, maxRounds: 2 };

describe("the agent's answers", () => {
  const open = finding("one");

  test("change status and result of known findings and nothing else", () => {
    const answers = new Map([
      [open.id, { status: "fixed" as const, result: "guarded" }],
      ["f-invented", { status: "skipped" as const, result: "no" }],
    ]);

    const { findings } = withAnswers(slot({ findings: [open] }), answers);

    expect(findings).toEqual([{ ...open, status: "fixed", result: "guarded" }]);
  });

  test("a skip without a reason is no answer", () => {
    const answers = new Map([[open.id, { status: "skipped" as const, result: "  " }]]);

    const answered = withAnswers(slot({ findings: [open] }), answers);

    expect(skippedFindings(answered)).toEqual([]);
    expect(openFindings(answered)[0]?.result).toContain("reason");
  });

  test("cannot reopen or skip what a reviewer has confirmed", () => {
    const confirmed = finding("one", { status: "fixed" });
    const answers = new Map([[confirmed.id, { status: "skipped" as const, result: "why not" }]]);

    expect(withAnswers(slot({ findings: [confirmed], confirmed: [confirmed.id] }), answers).findings).toEqual(
      [confirmed],
    );
  });
});

describe("what happens to a slot", () => {
  test("that was never asked: find", () => {
    expect(nextStep(undefined, going)).toEqual({ kind: "find", carried: [] });
  });

  test("of an earlier review: find again, carrying what is not settled", () => {
    const [confirmed, open] = [finding("one", { status: "fixed" }), finding("two")];
    const earlier = slot({ round: 2, findings: [confirmed, open], confirmed: [confirmed.id] });

    expect(nextStep(earlier, { ...going, startsOver: true })).toEqual({ kind: "find", carried: [open] });
  });

  test("with an open finding and a change: verify", () => {
    expect(nextStep(slot({ findings: [finding("one")] }), going).kind).toBe("verify");
  });

  test("with an unconfirmed fix and a change: verify", () => {
    expect(nextStep(slot({ findings: [finding("one", { status: "fixed" })] }), going).kind).toBe("verify");
  });

  test("with an unconfirmed fix and no change: repeat, and the claim is taken back", () => {
    const step = nextStep(slot({ findings: [finding("one", { status: "fixed" })] }), {
      ...going,
      changed: false,
    });

    expect(step).toMatchObject({ kind: "repeat", slot: { findings: [{ status: "new" }] } });
  });

  test("whose findings are all skipped or confirmed: rest", () => {
    const findings = [finding("one", { status: "skipped", result: "on purpose" })];

    expect(nextStep(slot({ findings }), going).kind).toBe("rest");
  });

  test("with something open after the last round: spent, changed or not", () => {
    const last = slot({ round: 2, findings: [finding("one")] });

    expect(nextStep(last, going).kind).toBe("spent");
    expect(nextStep(last, { ...going, changed: false }).kind).toBe("spent");
  });
});

describe("the safety latch", () => {
  const rest = (round = 1) => ({ kind: "rest", slot: slot({ round }) }) as const;
  const verify = { kind: "verify", slot: slot() } as const;

  test("leaves resting slots alone while another is asked", () => {
    expect(withSafetyLatch([rest(), verify], [going, going])).toEqual([rest(), verify]);
  });

  test("asks the first resting slot when none would be asked about a change", () => {
    expect(withSafetyLatch([rest(), rest()], [going, going]).map(({ kind }) => kind)).toEqual([
      "verify",
      "rest",
    ]);
  });

  test("asks no reviewer about an unchanged tree, and none whose rounds are used", () => {
    const same = { ...going, changed: false };

    expect(withSafetyLatch([rest()], [same])).toEqual([rest()]);
    expect(withSafetyLatch([rest(2), rest()], [going, going]).map(({ kind }) => kind)).toEqual([
      "rest",
      "verify",
    ]);
  });
});
