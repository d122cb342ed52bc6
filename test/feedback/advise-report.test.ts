import { expect, test } from "vitest";
import { adviseReport } from "../../src/feedback/advise-report.ts";

test.each([
  ["npx vitest run", "report: junit.xml"],
  ["jest --ci", "report: jest.json"],
  ["python -m pytest -q", "--junitxml=junit.xml"],
])("%s could write a report", (command, advice) => {
  expect(adviseReport({ command })).toContain(advice);
});

test.each([
  ["a tool that writes none", { command: "make all" }],
  ["a check that has one", { command: "vitest run", report: "out.xml" }],
])("nothing is said about %s", (_, check) => {
  expect(adviseReport(check)).toBeUndefined();
});
