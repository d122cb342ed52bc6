import { expect, test } from "vitest";
import { type Finding, identify, type ReportedFinding } from "../../../src/gates/review/finding.ts";
import { projectPath } from "../../../src/path.ts";
import { concludeRound, type ReviewAnswer, type RoundRules } from "../../../src/gates/review/slot.ts";

const reported = (issue: string, over: Partial<ReportedFinding> = {}): ReportedFinding => ({
  file: projectPath("a.ts"),
  line: 1,
  issue,
  fix: "",
  priority: "high",
  ...over,
});
const known = (issue: string, over: Partial<Finding> = {}): Finding => ({
  ...identify(reported(issue)),
  ...over,
});
const answer = (over: Partial<ReviewAnswer>): ReviewAnswer => ({
  findings: [],
  verified: [],
  malformed: 0,
  ...over,
});
const first: RoundRules = {
  earlier: [],
  confirmed: [],
  minPriority: "low",
  isInside: ({ file }) => file === "a.ts",
  startsOver: true,
};
const later = (earlier: readonly Finding[]): RoundRules => ({
  ...first,
  earlier,
  minPriority: "high",
  startsOver: false,
});

test("a first round admits what lies inside and counts what does not", () => {
  const findings = [reported("real"), reported("invented", { file: projectPath("nowhere.ts") })];

  const result = concludeRound(answer({ findings, malformed: 2 }), first);

  expect(result.findings.map(({ issue }) => issue)).toEqual(["real"]);
  expect(result.dropped).toEqual({ outside: 1, minor: 0, malformed: 2 });
});

test("findings below the priority that counts are dropped and counted", () => {
  const findings = [reported("style", { priority: "medium" }), reported("crash", { priority: "critical" })];

  const result = concludeRound(answer({ findings }), later([]));

  expect(result.findings.map(({ issue }) => issue)).toEqual(["crash"]);
  expect(result.dropped.minor).toBe(1);
});

test("a finding reported twice in one answer counts once", () => {
  const findings = [reported("The list is never freed here"), reported("the list is never freed, here!")];

  expect(concludeRound(answer({ findings }), first).findings).toHaveLength(1);
});

test("a fix that the reviewer confirms is settled, with the agent's words kept", () => {
  const fixed = known("one", { status: "fixed", result: "guarded" });

  const result = concludeRound(
    answer({ verified: [{ id: fixed.id, fixed: true, note: "ok" }] }),
    later([fixed]),
  );

  expect(result).toMatchObject({ findings: [fixed], confirmed: [fixed.id] });
});

test("an unanswered finding that the reviewer sees fixed is settled too", () => {
  const open = known("one");

  const result = concludeRound(
    answer({ verified: [{ id: open.id, fixed: true, note: "guarded now" }] }),
    later([open]),
  );

  expect(result).toMatchObject({
    findings: [{ status: "fixed", result: "guarded now" }],
    confirmed: [open.id],
  });
});

test("a fix that is refused or not mentioned is open again", () => {
  const [refused, forgotten] = [known("one", { status: "fixed" }), known("two", { status: "fixed" })];

  const result = concludeRound(
    answer({ verified: [{ id: refused.id, fixed: false, note: "still divides by zero" }] }),
    later([refused, forgotten]),
  );

  expect(result.findings.map(({ status, result: why }) => [status, why])).toEqual([
    ["new", "still divides by zero"],
    ["new", "the reviewer did not confirm a fix"],
  ]);
  expect(result.confirmed).toEqual([]);
});

test("a skipped finding stays skipped, even when the reviewer repeats it in other words", () => {
  const skipped = known("The list is never freed here", { status: "skipped", result: "freed by the caller" });

  const result = concludeRound(
    answer({ findings: [reported("The list is never freed in here")], verified: [] }),
    later([skipped]),
  );

  expect(result.findings).toEqual([skipped]);
});

test("when a review starts over, skips that are not raised again are forgotten and raised ones stay skipped", () => {
  const raised = known("raised again", { status: "skipped", result: "on purpose" });
  const silent = known("not mentioned", { status: "skipped", result: "on purpose" });

  const result = concludeRound(answer({ findings: [reported("raised again")] }), {
    ...first,
    earlier: [raised, silent],
  });

  expect(result.findings).toEqual([raised]);
});

test("a confirmed finding that comes back is open again", () => {
  const settled = known("one", { status: "fixed", result: "guarded" });

  const result = concludeRound(answer({ findings: [reported("one")] }), {
    ...later([settled]),
    confirmed: [settled.id],
  });

  expect(result).toMatchObject({ findings: [{ status: "new", result: "it is back" }], confirmed: [] });
});
