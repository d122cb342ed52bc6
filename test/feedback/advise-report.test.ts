import { expect, test } from "vitest";
import { adviseReport } from "../../src/feedback/advise-report.ts";

test.each([
  ["npx vitest run", "`report: report-test.xml`"],
  ["jest --ci", "`report: report-test.json`"],
  ["python -m pytest -q", "`--junitxml=report-test.xml`"],
])("%s could write a report that git ignores", (command, advice) => {
  const said = adviseReport({ name: "test", command });

  expect(said).toContain(advice);
  expect(said).toMatch(/`report-test\.\w+` to \.gitignore/);
});

test("two checks do not share a report", () => {
  const files = ["unit tests", "types"].map(
    (name) => /`report: (.*?)`/.exec(adviseReport({ name, command: "pytest" }) ?? "")?.[1],
  );

  expect(files).toEqual(["report-unit-tests.xml", "report-types.xml"]);
});

test.each([
  ["a tool that writes none", { name: "a", command: "make all" }],
  ["a check that has one", { name: "a", command: "vitest run", report: "out.xml" }],
])("nothing is said about %s", (_, check) => {
  expect(adviseReport(check)).toBeUndefined();
});
