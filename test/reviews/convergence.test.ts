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

const SHEET = "gauntlet_logs/review_._careful.slot-1.json";
const FIXED = "export const mean = (list) => (list.length === 0 ? 0 : 1);\n";

test("a finding blocks, the agent fixes it, the next round confirms the fix and passes", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding()), { confirmAll: true }]);

  const first = await runGates(project);

  expect(first.status).toBe("failed");
  expect(first.outcomes[0]).toMatchObject({
    outcome: "failed",
    detail: "1 finding (1 high), round 1 of 2",
    review: { open: [finding()], sheets: [SHEET] },
  });

  await project.write({ "src/sum.js": FIXED });
  await answerFindings(project, "fixed", "empty lists give 0");
  const second = await runGates(project);

  expect(second.status).toBe("passed");
  expect(sheetOf(project).findings).toMatchObject([{ status: "fixed", result: "empty lists give 0" }]);
  const [, verify] = await callsOf(project, "claude");
  expect(verify?.prompt).toContain("Findings to check");
  expect(verify?.prompt).toContain("empty lists give 0");
});

test("an answer that was never written is checked all the same", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding()), { confirmAll: true }]);
  await runGates(project);
  await project.write({ "src/sum.js": FIXED });

  const second = await runGates(project);

  expect(second.status).toBe("passed");
  expect(sheetOf(project).findings).toMatchObject([{ status: "fixed", result: "seen" }]);
});

test("a finding skipped with a reason is accepted with a warning, without asking again", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await runGates(project);
  await answerFindings(project, "skipped", "callers never pass an empty list");

  const second = await runGates(project);

  expect(second.status).toBe("passed_with_warnings");
  expect(second.message).toContain("callers never pass an empty list");
  expect(await callsOf(project, "claude")).toHaveLength(1);
});

test("a finding skipped without a reason still blocks and says what is missing", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await project.stop();
  await answerFindings(project, "skipped", "  ");

  const { answer } = await project.stop();

  expect(answer.status).toBe("failed");
  expect(answer.reason).toContain("skipped without a reason");
});

test("a fix that changed nothing is not accepted, and no reviewer is asked about it", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await project.stop();
  await answerFindings(project, "fixed", "done");

  const { answer } = await project.stop();

  expect(answer.status).toBe("failed");
  expect(answer.reason).toContain("nothing has changed since the last round");
  expect(await callsOf(project, "claude")).toHaveLength(1);
});

test("a fix that the reviewer refuses blocks again, and after the last round the user is notified", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding()), says()]);
  await project.stop();
  await project.write({ "src/sum.js": "// one\n" });
  await answerFindings(project, "fixed", "done");

  const { answer } = await project.stop();

  expect(answer.status).toBe("failed");
  expect(answer.message).toContain("1 finding (1 high), round 2 of 2");
  expect(answer.reason).toContain("the reviewer did not confirm a fix");

  await project.write({ "src/sum.js": "// two\n" });
  const third = await project.stop();

  expect(third.answer.status).toBe("passed_with_warnings");
  expect(third.answer.systemMessage).toContain(
    "stopped asking after 2 rounds, still open: src/sum.js:3 high The mean",
  );
  expect(await callsOf(project, "claude")).toHaveLength(2);
});

test("later rounds admit new findings only where something changed since, and only from the threshold on", async () => {
  await using project = await reviewProject({ "src/other.js": "export const other = 1;\n" });
  await project.write({ "src/other.js": "export const other = 2;\n" });
  const late = [
    finding({
      file: "src/other.js",
      line: 1,
      issue: "Nobody touched this since the last round.",
      priority: "critical",
    }),
    finding({ line: 1, issue: "A matter of style.", priority: "medium" }),
    finding({ line: 1, issue: "The fix loses every entry but the first.", priority: "high" }),
  ];
  await addReviewer(project, "claude", [says(finding()), { confirmAll: true, findings: late }]);
  await runGates(project);
  await project.write({ "src/sum.js": FIXED });

  const second = await runGates(project);

  const open = second.outcomes[0]?.review?.open.map(({ issue }) => issue);
  expect(open).toEqual(["The fix loses every entry but the first."]);
  expect(second.stderr).toContain("dropped findings: 1 outside of what was asked about, 1 below high\n");
});

test("rerun_new_issue_threshold decides what counts in later rounds", async () => {
  await using project = await reviewProject({
    ".gauntlet/config.yml":
      "base_branch: main\nrerun_new_issue_threshold: medium\ncli:\n  default_preference: [claude]\n",
  });
  const late = [finding({ line: 1, issue: "A matter of style.", priority: "medium" })];
  await addReviewer(project, "claude", [says(finding()), { confirmAll: true, findings: late }]);
  await runGates(project);
  await project.write({ "src/sum.js": FIXED });

  expect((await runGates(project)).outcomes[0]).toMatchObject({
    detail: "1 finding (1 medium), round 2 of 2",
  });
});

test("a reviewer that always finds something new ends within max_rounds, and says so", async () => {
  await using project = await reviewProject({
    ".gauntlet/config.yml": "base_branch: main\nmax_retries: 50\ncli:\n  default_preference: [claude]\n",
    ".gauntlet/reviews/careful.md": "---\nmax_rounds: 4\n---\nLook for wrong results.\n",
  });
  const novelties = ["Overflow", "Underflow", "Leak", "Race", "Deadlock", "Typo"].map((issue) =>
    says(finding({ line: 1, issue, priority: "critical" })),
  );
  await addReviewer(project, "claude", novelties);

  const statuses: string[] = [];
  let last = await runGates(project);
  for (let edit = 1; last.status === "failed" && edit < 20; edit++) {
    statuses.push(last.status);
    await project.write({ "src/sum.js": `// edit ${edit}\n` });
    await answerFindings(project, "fixed", `edit ${edit}`);
    last = await runGates(project);
  }

  expect(statuses).toHaveLength(4);
  expect(last.status).toBe("passed_with_warnings");
  expect(last.message).toContain("stopped asking after 4 rounds, still open:");
  expect(await callsOf(project, "claude")).toHaveLength(4);
});

test("findings below min_priority are left out", async () => {
  await using project = await reviewProject({
    ".gauntlet/reviews/careful.md": "---\nmin_priority: high\n---\nLook for wrong results.\n",
  });
  await addReviewer(project, "claude", [says(finding({ priority: "medium" }))]);

  expect((await runGates(project)).status).toBe("passed");
});

test("a broken answer file loses nothing: it is written again and the agent reads so", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await project.stop();
  await project.write({ [SHEET]: "I fixed everything!" });

  const { answer } = await project.stop();

  expect(answer.status).toBe("failed");
  expect(answer.reason).toContain("not valid JSON");
  expect(sheetOf(project).findings).toHaveLength(1);
});

test("an answer file of nothing but brackets is a broken one", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await runGates(project);
  await project.write({ [SHEET]: "[".repeat(300_000) });

  expect((await runGates(project)).outcomes[0]).toMatchObject({ outcome: "failed" });
});

test.each([
  ["cut off", (text: string) => text.slice(0, text.indexOf('"findings"') + 15)],
  ["without its findings", (text: string) => text.replace(/"findings": \[[^]*\]/, '"findings": []')],
])("a record %s settles nothing: the review begins anew", async (_, damage) => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await runGates(project);
  const record = "gauntlet_logs/.state/reviews/review_._careful.slot-1.json";
  const text = project.read(record);
  await project.write({ [record]: damage(text) });

  const second = await runGates(project);

  expect(damage(text)).not.toBe(text);
  expect(second.outcomes[0]).toMatchObject({ outcome: "failed" });
  expect(sheetOf(project).findings).toHaveLength(1);
});

test("an answer survives the stray comma of a hand-edited file", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await runGates(project);
  await answerFindings(project, "skipped", "on purpose");
  const text = project.read(SHEET);
  await project.write({ [SHEET]: text.replace(/\}\s*\]/, "},]") });

  expect((await runGates(project)).status).toBe("passed_with_warnings");
});

test("deleting findings, or raising the round, settles nothing", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await runGates(project);
  const sheet = sheetOf(project);
  await project.write({ [SHEET]: JSON.stringify({ ...sheet, round: 99, findings: [] }) });

  const second = await runGates(project);

  expect(second.status).toBe("failed");
  expect(second.outcomes[0]).toMatchObject({ detail: "1 finding (1 high), round 1 of 2" });
});

test("after a pass the next change is reviewed from the start", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(), says(finding())]);
  await runGates(project);
  await project.write({ "src/sum.js": "export const mean = (list) => 0 / list.length;\n" });

  const second = await runGates(project);

  expect(second.outcomes[0]).toMatchObject({ detail: expect.stringContaining("round 1 of 2") });
  expect((await callsOf(project, "claude"))[1]?.prompt).not.toContain("reviewed before");
});

test("a skip from an earlier review still stands when the reviewer raises the same again", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await runGates(project);
  await answerFindings(project, "skipped", "on purpose");
  await runGates(project);
  await project.write({ "src/other.js": "export const other = 1;\n" });

  const next = await runGates(project);

  expect(next.status).toBe("passed_with_warnings");
  expect((await callsOf(project, "claude"))[1]?.prompt).toContain("Settled findings");
});

test("a review that failed is asked again although its files are no longer part of the change", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding()), { confirmAll: true }]);
  await runGates(project);
  await project.git("checkout", "-q", "src/sum.js");

  const second = await runGates(project);

  expect(second.status).toBe("passed");
  expect(await callsOf(project, "claude")).toHaveLength(2);
});

test("clean forgets the findings", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await runGates(project);

  await project.gauntlet(["clean"]);

  expect(project.has(SHEET)).toBe(false);
  expect((await runGates(project)).outcomes[0]).toMatchObject({ detail: expect.stringContaining("round 1") });
});
