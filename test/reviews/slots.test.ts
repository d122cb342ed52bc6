import { expect, test } from "vitest";
import { finding, reviewProject, says } from "../rig/review-project.ts";

const TWO = {
  ".gauntlet/reviews/careful.md": "---\nnum_reviews: 2\nmax_rounds: 3\n---\nLook for wrong results.\n",
};
const FIXED = "export const mean = (list) => (list.length === 0 ? 0 : 1);\n";

test("each slot begins with another reviewer and has its own file", async () => {
  await using project = await reviewProject(TWO);
  await project.reviewer("claude", [says(finding())]);
  await project.reviewer("codex", [says(finding({ issue: "An empty list throws.", line: 1 }))]);

  const run = await project.run();

  expect(run.outcomes[0]).toMatchObject({ detail: "2 findings (2 high), round 1 of 3" });
  expect(run.outcomes[0]?.review?.sheets).toEqual([
    "gauntlet_logs/review_._careful.slot-1.json",
    "gauntlet_logs/review_._careful.slot-2.json",
  ]);
  expect((await project.sheet("review_._careful.slot-2")).reviewer).toBe("codex");
});

test("a slot that passed is not asked again while another slot is", async () => {
  await using project = await reviewProject(TWO);
  await project.reviewer("claude", [says()]);
  await project.reviewer("codex", [says(finding()), { confirmAll: true }]);
  await project.run();
  await project.write("src/sum.js", FIXED);

  const second = await project.run();

  expect(second.status).toBe("passed");
  expect(await project.calls("claude")).toHaveLength(1);
  expect(await project.calls("codex")).toHaveLength(2);
});

test("the decision is the slot's, not the tool's: another tool takes over and only verifies", async () => {
  await using project = await reviewProject(TWO);
  await project.reviewer("claude", [says(finding()), { stdout: "usage limit reached" }]);
  await project.reviewer("codex", [says(), { confirmAll: true }]);
  await project.run();
  await project.write("src/sum.js", FIXED);

  const second = await project.run();

  expect(second.status).toBe("passed");
  expect(await project.sheet()).toMatchObject({ reviewer: "codex", round: 2 });
  expect((await project.calls("codex"))[1]?.prompt).toContain("Findings to check");
});

test("when every slot had passed, a further change is still seen by one of them", async () => {
  await using project = await reviewProject({
    ...TWO,
    ".gauntlet/checks/red.yml": "command: test -e green\n",
  });
  await project.reviewer("claude", [says()]);
  await project.reviewer("codex", [says()]);
  await project.run();
  await project.write("green", "");
  await project.write("src/sum.js", FIXED);

  const second = await project.run();

  expect(second.status).toBe("passed");
  expect(await project.calls("claude")).toHaveLength(2);
  expect(await project.calls("codex")).toHaveLength(1);
});

test("one slot without a reviewer is a warning when the other has answered", async () => {
  await using project = await reviewProject(TWO);
  await project.reviewer("claude", [says(), { stdout: "hm" }]);

  const run = await project.run();

  expect(run.status).toBe("passed_with_warnings");
  expect(run.message).toContain("no reviewer for slot");
});

test("a change that comes after all rounds are used is allowed with a warning that it was not reviewed", async () => {
  await using project = await reviewProject({
    ".gauntlet/reviews/careful.md": "---\nmax_rounds: 1\n---\nLook for wrong results.\n",
    ".gauntlet/checks/red.yml": "command: test -e green\n",
  });
  await project.reviewer("claude", [says()]);
  await project.run();
  await project.write("green", "");
  await project.write("src/sum.js", FIXED);

  const second = await project.run();

  expect(second.status).toBe("passed_with_warnings");
  expect(second.message).toContain("the latest changes were not reviewed");
});

test("what both slots find is reported once, and one answer answers both", async () => {
  await using project = await reviewProject(TWO);
  await project.reviewer("claude", [says(finding())]);
  await project.reviewer("codex", [says(finding({ line: 4, priority: "low" }))]);

  const first = await project.run();
  await project.answer("skipped", "callers never pass an empty list");
  const second = await project.run();

  expect(first.outcomes[0]?.review?.open).toHaveLength(1);
  expect(second.status).toBe("passed_with_warnings");
  expect((await project.sheet("review_._careful.slot-2")).findings).toMatchObject([{ status: "skipped" }]);
});

test("two places with names alike do not share their findings", async () => {
  await using project = await reviewProject({
    ".gauntlet/config.yml":
      "base_branch: main\ncli:\n  default_preference: [claude]\nentry_points:\n  - path: a/b\n    reviews: [careful]\n  - path: a_b\n    reviews: [careful]\n",
    "a/b/x.js": "1\n",
    "a_b/x.js": "1\n",
  });
  await project.write("a/b/x.js", "2\n");
  await project.write("a_b/x.js", "2\n");
  await project.reviewer("claude", [says(finding({ file: "a/b/x.js" }), finding({ file: "a_b/x.js" }))]);

  const { outcomes } = await project.run();

  expect(new Set(outcomes.flatMap(({ review }) => review?.sheets ?? [])).size).toBe(2);
  expect(outcomes.map(({ review }) => review?.open.map(({ file }) => file))).toEqual([
    ["a/b/x.js"],
    ["a_b/x.js"],
  ]);
});
