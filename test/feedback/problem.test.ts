import { expect, test } from "vitest";
import { compareAttempts, describeDelta, type Problem, fingerprint } from "../../src/feedback/problem.ts";

const problem: Problem = {
  file: "src/a.ts",
  line: 3,
  column: 9,
  severity: "error",
  code: "TS2322",
  message: "expected 3 to be 4 (at src/b.ts:12:1)",
};

test.each<[string, Partial<Problem>]>([
  ["its line", { line: 30, column: 1 }],
  ["a line in its message", { message: "expected 3 to be 4 (at src/b.ts:99:7)" }],
  ["its excerpt", { excerpt: "> other source" }],
])("keeps its fingerprint when only %s changes", (_, change) => {
  expect(fingerprint({ ...problem, ...change })).toBe(fingerprint(problem));
});

test.each<[string, Partial<Problem>]>([
  ["file", { file: "src/c.ts" }],
  ["rule", { code: "TS2339" }],
  ["test", { test: "adds" }],
  ["severity", { severity: "warning" }],
  ["asserted value", { message: "expected 5 to be 4 (at src/b.ts:12:1)" }],
])("is another problem when its %s changes", (_, change) => {
  expect(fingerprint({ ...problem, ...change })).not.toBe(fingerprint(problem));
});

test("counts the same problem at two places twice", () => {
  const twice = [fingerprint(problem), fingerprint(problem)];

  const delta = compareAttempts(twice, [problem, { ...problem, message: "other" }]);

  expect(describeDelta(delta)).toBe("Since the last attempt: 1 gone, 1 still there, 1 new.");
});

test("says when nothing has changed", () => {
  expect(describeDelta(compareAttempts([fingerprint(problem)], [problem]))).toBe(
    "Since the last attempt: nothing changed, 1 still there.",
  );
});
