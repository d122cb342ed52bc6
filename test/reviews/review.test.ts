import { expect, test } from "vitest";
import { finding, reviewProject, says } from "../rig/review-project.ts";

test("a finding blocks, the agent fixes it, the next round confirms the fix and passes", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding()), { confirmAll: true }]);

  const first = await project.run();

  expect(first.status).toBe("failed");
  expect(first.outcomes[0]).toMatchObject({ kind: "failed", detail: "1 finding (1 high), round 1 of 2" });
  expect(first.feedback).toContain("src/sum.js:3 high The mean of an empty list is NaN.");
  expect(first.feedback).toContain("gauntlet_logs/review_._careful.slot-1.json");

  await project.write("src/sum.js", "export const mean = (list) => (list.length === 0 ? 0 : 1);\n");
  await project.answer("fixed", "empty lists give 0");
  const second = await project.run();

  expect(second.status).toBe("passed");
  expect((await project.sheet()).findings).toMatchObject([{ status: "fixed", result: "empty lists give 0" }]);
  const [, verify] = await project.calls("claude");
  expect(verify?.prompt).toContain("Findings to check");
  expect(verify?.prompt).toContain("empty lists give 0");
});
