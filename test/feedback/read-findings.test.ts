import { describe, expect, test } from "vitest";
import { readFindings } from "../../src/features/baseline/read-findings.ts";

function found(text: string) {
  const gate = { id: "g", name: "g", text, logPath: "logs/g.log", projectRoot: "/tmp/project" };
  return readFindings(gate, (one) => one);
}

/** The problems of a log, each in one line. */
function problems(text: string): readonly string[] {
  return found(text).problems.map(({ problem: { file = "", message } }) => `${file} ${message}`.trim());
}

describe("missed coverage is a problem, known by its numbers", () => {
  test.for<[tool: string, sentence: string, problem?: string]>([
    ["Jest", 'Jest: "global" coverage threshold for lines (90%) not met: 60%'],
    ["Jest 30", 'Jest: Coverage for functions (60%) does not meet "global" threshold (90%)'],
    ["Jest, a file that no test loads", "Jest: Coverage data for ./a.js was not found."],
    ["Vitest", "ERROR: Coverage for lines (60%) does not meet global threshold (90%)"],
    [
      "Vitest, for each file",
      "ERROR: Coverage for lines (60%) does not meet global threshold (90%) for src/a.ts",
      "src/a.ts Coverage for lines (60%) does not meet global threshold (90%)",
    ],
    ["c8 and nyc", "ERROR: Coverage for branches (60%) does not meet global threshold (90%)"],
    ["pytest-cov", "FAIL Required test coverage of 90% not reached. Total coverage: 60.00%"],
    ["pytest-cov 7", "ERROR: Coverage failure: total of 60 is less than fail-under=90"],
    ["coverage.py", "Coverage failure: total of 60 is less than fail-under=90"],
    ["node:test", "ℹ Error: 60.00% line coverage does not meet threshold of 90%."],
    ["SimpleCov", "Line coverage (60.00%) is below the expected minimum coverage (90.00%)."],
    [
      "JaCoCo",
      "[WARNING] Rule violated for bundle shop: lines covered ratio is 0.60, but expected minimum is 0.90",
    ],
    [
      "ExUnit",
      "Coverage test failed, threshold not met:\n\n    Coverage:   60.00%\n    Threshold:  90.00%",
      "Coverage test failed, threshold not met: Coverage: 60.00% Threshold: 90.00%",
    ],
    ["Pest", "  FAIL  Code coverage below expected 90.0 %, currently 60.0 %."],
    [
      "coverlet",
      "| Total   | 60% | 50% | 40% |\nerror : The total line coverage is below the specified 90",
      "The total line coverage is below the specified 90 | Total | 60% | 50% | 40% |",
    ],
    ["tarpaulin", "Error: Coverage is below the failure threshold 60.00% < 90.00%"],
  ])("%s", ([, sentence, problem]) => {
    const said = sentence.replace(/^\s*(?:Jest: |ERROR: |FAIL +|(?:ℹ )?Error: |error : |\[\w+\] )/, "");
    const keys = [sentence, sentence.replaceAll("60", "50")].map((text) => found(text).problems[0]?.key);

    expect(problems(sentence)).toEqual([problem ?? said]);
    expect(keys[0] === keys[1]).toBe(!sentence.includes("60"));
  });

  test("is read beside the failing tests of the same log, and not counted among them", () => {
    const log = [
      "FAIL ./a.test.js",
      "  ● adds",
      "",
      "    expect(received).toBe(expected)",
      "",
      "      at Object.<anonymous> (a.test.js:3:5)",
      "",
      'Jest: "global" coverage threshold for lines (90%) not met: 60%',
      "Tests:       2 failed, 1 passed, 3 total",
    ].join("\n");

    expect(problems(log)).toHaveLength(2);
    expect(found(log).isAllRead).toBe(false); // Jest counts two failing tests
  });

  test.each([
    "✓ coverage below the threshold is refused (3 ms)",
    "Coverage report written to coverage/index.html",
    "All files | 60 | 50 | 40 | 30 |",
  ])("nothing else is: %s", (line) => {
    expect(problems(line)).toEqual([]);
  });
});

describe("of lines that no parser reads", () => {
  test.each([
    "bundle size 120 kB exceeds the limit of 100 kB",
    "app.js: 120 kB > 100 kB",
    "The type coverage rate(85.00%) is lower than the target(90%).",
    "ERROR: jscpd found too many duplicates (5.1%) over threshold (3%)",
    "Final mutation score 50.12 under breaking threshold 60",
  ])("a missed limit keeps its numbers: %s", (line) => {
    expect(found(line).unread.join()).toContain(/\d[\d.]+/.exec(line)?.[0]);
  });

  test("others do not, for they differ from run to run", () => {
    expect(found("FAILED after 3 attempts").unread).toEqual(["FAILED after 0 attempts"]);
    expect(found("took 120 ms for 3 files").unread).toEqual([]);
  });
});

test.for<[string, number | undefined]>([
  ["--- FAIL: TestA (0.00s)\nFAIL\tshop\t0.1s", undefined],
  ["=== RUN   TestA\n--- FAIL: TestA (0.00s)\n--- PASS: TestB (0.00s)", 2],
  ["3 tests completed, 1 failed", undefined],
  ["Tests:       1 failed, 2 passed, 3 total", 3],
])("how many tests ran, only where a failing log tells: %j", ([log, ran]) => {
  expect(found(log).ran).toBe(ran);
});
