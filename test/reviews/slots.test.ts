import { expect, test } from "vitest";
import {
  addReviewer,
  answerFindings,
  callsOf,
  finding,
  reviewProject,
  runGates,
  says,
  sheetOf,
} from "../rig/fake-reviewers.ts";

const TWO = {
  ".gauntlet/reviews/careful.md": "---\nnum_reviews: 2\nmax_rounds: 3\n---\nLook for wrong results.\n",
};
const FIXED = "export const mean = (list) => (list.length === 0 ? 0 : 1);\n";

test("each slot begins with another reviewer and has its own file", async () => {
  await using project = await reviewProject(TWO);
  await addReviewer(project, "claude", [says(finding())]);
  await addReviewer(project, "codex", [says(finding({ issue: "An empty list throws.", line: 1 }))]);

  const run = await runGates(project);

  expect(run.outcomes[0]).toMatchObject({ detail: "2 findings (2 high), round 1 of 3" });
  expect(run.outcomes[0]?.review?.sheets).toEqual([
    "gauntlet_logs/review_._careful.slot-1.json",
    "gauntlet_logs/review_._careful.slot-2.json",
  ]);
  expect(sheetOf(project, "review_._careful.slot-2").reviewer).toBe("codex");
});

test("a slot that passed is not asked again while another slot is", async () => {
  await using project = await reviewProject(TWO);
  await addReviewer(project, "claude", [says()]);
  await addReviewer(project, "codex", [says(finding()), { confirmAll: true }]);
  await runGates(project);
  await project.write({ "src/sum.js": FIXED });

  const second = await runGates(project);

  expect(second.status).toBe("passed");
  expect(await callsOf(project, "claude")).toHaveLength(1);
  expect(await callsOf(project, "codex")).toHaveLength(2);
});

test("the decision is the slot's, not the tool's: another tool takes over and only verifies", async () => {
  await using project = await reviewProject(TWO);
  await addReviewer(project, "claude", [says(finding()), { stdout: "usage limit reached" }]);
  await addReviewer(project, "codex", [says(), { confirmAll: true }]);
  await runGates(project);
  await project.write({ "src/sum.js": FIXED });

  const second = await runGates(project);

  expect(second.status).toBe("passed");
  expect(sheetOf(project)).toMatchObject({ reviewer: "codex", round: 2 });
  expect((await callsOf(project, "codex"))[1]?.prompt).toContain("Findings to check");
});

test("when every slot had passed, a further change is still seen by one of them", async () => {
  await using project = await reviewProject({
    ...TWO,
    ".gauntlet/checks/red.yml": "command: test -e green\n",
  });
  await addReviewer(project, "claude", [says()]);
  await addReviewer(project, "codex", [says()]);
  await runGates(project);
  await project.write({ green: "" });
  await project.write({ "src/sum.js": FIXED });

  const second = await runGates(project);

  expect(second.status).toBe("passed");
  expect(await callsOf(project, "claude")).toHaveLength(2);
  expect(await callsOf(project, "codex")).toHaveLength(1);
});

test("one slot without a reviewer is a warning when the other has answered", async () => {
  await using project = await reviewProject(TWO);
  await addReviewer(project, "claude", [says(), { stdout: "hm" }]);

  const run = await runGates(project);

  expect(run.status).toBe("passed_with_warnings");
  expect(run.message).toContain("no reviewer for slot");
});

test("a change that comes after all rounds are used is allowed with a warning that it was not reviewed", async () => {
  await using project = await reviewProject({
    ".gauntlet/reviews/careful.md": "---\nmax_rounds: 1\n---\nLook for wrong results.\n",
    ".gauntlet/checks/red.yml": "command: test -e green\n",
  });
  await addReviewer(project, "claude", [says()]);
  await runGates(project);
  await project.write({ green: "" });
  await project.write({ "src/sum.js": FIXED });

  const second = await runGates(project);

  expect(second.status).toBe("passed_with_warnings");
  expect(second.message).toContain("the latest changes were not reviewed");
});

test("what both slots find is reported once, and one answer answers both", async () => {
  await using project = await reviewProject(TWO);
  await addReviewer(project, "claude", [says(finding())]);
  await addReviewer(project, "codex", [says(finding({ line: 4, priority: "low" }))]);

  const first = await runGates(project);
  await answerFindings(project, "skipped", "callers never pass an empty list");
  const second = await runGates(project);

  expect(first.outcomes[0]?.review?.open).toHaveLength(1);
  expect(second.status).toBe("passed_with_warnings");
  expect(sheetOf(project, "review_._careful.slot-2").findings).toMatchObject([{ status: "skipped" }]);
});

test("two places with names alike do not share their findings", async () => {
  await using project = await reviewProject({
    ".gauntlet/config.yml":
      "base_branch: main\ncli:\n  default_preference: [claude]\nentry_points:\n  - path: a/b\n    reviews: [careful]\n  - path: a_b\n    reviews: [careful]\n",
    "a/b/x.js": "1\n",
    "a_b/x.js": "1\n",
  });
  await project.write({ "a/b/x.js": "2\n" });
  await project.write({ "a_b/x.js": "2\n" });
  await addReviewer(project, "claude", [says(finding({ file: "a/b/x.js" }), finding({ file: "a_b/x.js" }))]);

  const { outcomes } = await runGates(project);

  expect(new Set(outcomes.flatMap(({ review }) => review?.sheets ?? [])).size).toBe(2);
  expect(outcomes.map(({ review }) => review?.open.map(({ file }) => file))).toEqual([
    ["a/b/x.js"],
    ["a_b/x.js"],
  ]);
});
