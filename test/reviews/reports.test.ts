import { expect, test } from "vitest";
import { githubAnnotations } from "../../src/report/github.ts";
import { sarifReport } from "../../src/report/sarif.ts";
import { finding, reviewProject, says } from "../rig/review-project.ts";

test("findings are results of SARIF and annotations of GitHub, at their place", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [
    says(finding(), finding({ line: null, issue: "No test.", priority: "low" })),
  ]);

  const { outcomes } = await project.run();

  const sarif = JSON.parse(sarifReport({ outcomes, problems: {} }, "1.0.0")) as {
    runs: [{ results: object[] }];
  }; // SARIF's own shape
  expect(sarif.runs[0].results).toMatchObject([
    {
      ruleId: "careful",
      level: "error",
      message: { text: "The mean of an empty list is NaN." },
      locations: [
        { physicalLocation: { artifactLocation: { uri: "src/sum.js" }, region: { startLine: 3 } } },
      ],
    },
    { level: "warning", message: { text: "No test." } },
  ]);
  expect(githubAnnotations({ outcomes, problems: {} })).toContain("file=src/sum.js,line=3");
});
