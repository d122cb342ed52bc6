import { describe, expect, test } from "vitest";
import {
  byUrgency,
  countFindings,
  describeFinding,
  identify,
  isAtLeast,
  isSameFinding,
  type ReportedFinding,
} from "../../../src/gates/review/finding.ts";
import { projectPath } from "../../../src/path.ts";

const reported = (over: Partial<ReportedFinding> = {}): ReportedFinding => ({
  file: projectPath("src/a.ts"),
  line: 12,
  issue: "Division by zero when the list is empty.",
  fix: "Return 0 for an empty list.",
  priority: "high",
  ...over,
});

describe("the id of a finding", () => {
  test("stays the same when only the line, the priority or the punctuation changes", () => {
    const id = identify(reported()).id;

    expect(identify(reported({ line: 40 })).id).toBe(id);
    expect(identify(reported({ priority: "low" })).id).toBe(id);
    expect(identify(reported({ issue: "division by zero, when the list is empty" })).id).toBe(id);
  });

  test("differs for another file and for another issue", () => {
    const id = identify(reported()).id;

    expect(identify(reported({ file: projectPath("src/b.ts") })).id).not.toBe(id);
    expect(identify(reported({ issue: "The list is never freed." })).id).not.toBe(id);
  });
});

test("the same issue in slightly other words is the same finding, in another file it is not", () => {
  const one = identify(reported());
  const reworded = identify(reported({ issue: "There is a division by zero when the list is empty" }));
  const elsewhere = identify(reported({ file: projectPath("src/b.ts") }));

  expect(isSameFinding(one, reworded)).toBe(true);
  expect(isSameFinding(one, elsewhere)).toBe(false);
});

test.each([
  ["critical", "high", true],
  ["high", "high", true],
  ["medium", "high", false],
  ["low", "low", true],
] as const)("%s is at least %s: %s", (priority, threshold, expected) => {
  expect(isAtLeast(priority, threshold)).toBe(expected);
});

test("a finding reads as place, priority and issue on one line", () => {
  expect(describeFinding(identify(reported({ issue: "First\n  second" })))).toBe(
    "src/a.ts:12 high First second",
  );
  expect(describeFinding(identify(reported({ line: null, issue: "Whole file" })))).toBe(
    "src/a.ts high Whole file",
  );
});

test("findings are counted by priority and sorted by urgency, then place", () => {
  const findings = [
    identify(reported({ priority: "low" })),
    identify(reported({ file: projectPath("b.ts"), priority: "critical" })),
    identify(reported({ file: projectPath("a.ts"), priority: "critical" })),
  ];

  expect(countFindings(findings)).toBe("3 findings (2 critical, 1 low)");
  expect(findings.toSorted(byUrgency).map(({ file }) => file)).toEqual(["a.ts", "b.ts", "src/a.ts"]);
});
