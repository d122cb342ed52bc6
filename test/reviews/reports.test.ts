import { expect, test } from "vitest";
import { addReviewer, finding, reviewProject, runGates, says } from "../rig/fake-reviewers.ts";

test("findings are results of SARIF and annotations of GitHub, at their place", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [
    says(finding(), finding({ line: null, issue: "No test.", priority: "low" })),
  ]);

  await runGates(project);
  const { stdout } = await project.gauntlet(["report", "--format", "sarif"]);
  const annotations = await project.gauntlet(["report", "--format", "github"]);

  const sarif = JSON.parse(stdout) as { runs: [{ results: object[] }] }; // SARIF's own shape
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
  expect(annotations.stdout).toContain("file=src/sum.js,line=3");
});
