import { expect, test } from "vitest";
import { finding, reviewProject, says } from "../rig/review-project.ts";

const FIXED = "export const mean = (list) => (list.length === 0 ? 0 : 1);\n";

test("a finding blocks, the agent fixes it, the next round confirms the fix and passes", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding()), { confirmAll: true }]);

  const first = await project.run();

  expect(first.status).toBe("failed");
  expect(first.outcomes[0]).toMatchObject({ kind: "failed", detail: "1 finding (1 high), round 1 of 2" });
  expect(first.feedback).toContain("src/sum.js:3 high The mean of an empty list is NaN.");
  expect(first.feedback).toContain("gauntlet_logs/review_._careful.slot-1.json");

  await project.write("src/sum.js", FIXED);
  await project.answer("fixed", "empty lists give 0");
  const second = await project.run();

  expect(second.status).toBe("passed");
  expect((await project.sheet()).findings).toMatchObject([{ status: "fixed", result: "empty lists give 0" }]);
  const [, verify] = await project.calls("claude");
  expect(verify?.prompt).toContain("Findings to check");
  expect(verify?.prompt).toContain("empty lists give 0");
});

test("an answer that was never written is checked all the same", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding()), { confirmAll: true }]);
  await project.run();
  await project.write("src/sum.js", FIXED);

  const second = await project.run();

  expect(second.status).toBe("passed");
  expect((await project.sheet()).findings).toMatchObject([{ status: "fixed", result: "seen" }]);
});

test("a finding skipped with a reason is accepted with a warning, without asking again", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  await project.run();
  await project.answer("skipped", "callers never pass an empty list");

  const second = await project.run();

  expect(second.status).toBe("passed_with_warnings");
  expect(second.message).toContain("callers never pass an empty list");
  expect(await project.calls("claude")).toHaveLength(1);
});

test("a finding skipped without a reason still blocks and says what is missing", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  await project.run();
  await project.answer("skipped", "  ");

  const second = await project.run();

  expect(second.status).toBe("failed");
  expect(second.feedback).toContain("skipped without a reason");
});

test("a fix that changed nothing is not accepted, and no reviewer is asked about it", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  await project.run();
  await project.answer("fixed", "done");

  const second = await project.run();

  expect(second.status).toBe("failed");
  expect(second.feedback).toContain("nothing has changed since the last round");
  expect(await project.calls("claude")).toHaveLength(1);
});

test("a fix that the reviewer refuses blocks again, and after the last round the user is notified", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding()), says()]);
  await project.run();
  await project.write("src/sum.js", "// one\n");
  await project.answer("fixed", "done");

  const second = await project.run();

  expect(second.status).toBe("failed");
  expect(second.outcomes[0]).toMatchObject({ detail: "1 finding (1 high), round 2 of 2" });
  expect(second.feedback).toContain("the reviewer did not confirm a fix");

  await project.write("src/sum.js", "// two\n");
  const third = await project.run();

  expect(third.status).toBe("passed_with_warnings");
  expect(third.message).toContain("stopped asking after 2 rounds, still open: src/sum.js:3 high The mean");
  expect(await project.calls("claude")).toHaveLength(2);
});

test("later rounds admit new findings only where something changed since, and only from the threshold on", async () => {
  await using project = await reviewProject({ "src/other.js": "export const other = 1;\n" });
  await project.write("src/other.js", "export const other = 2;\n");
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
  await project.reviewer("claude", [says(finding()), { confirmAll: true, findings: late }]);
  await project.run();
  await project.write("src/sum.js", FIXED);

  const second = await project.run();

  const open = second.outcomes[0]?.review?.open.map(({ issue }) => issue);
  expect(open).toEqual(["The fix loses every entry but the first."]);
  const progress = second.events.flatMap((event) => (event.kind === "gate-progressed" ? [event.text] : []));
  expect(progress).toContain("dropped findings: 1 outside of what was asked about, 1 below high");
});

test("rerun_new_issue_threshold decides what counts in later rounds", async () => {
  await using project = await reviewProject({
    ".gauntlet/config.yml":
      "base_branch: main\nrerun_new_issue_threshold: medium\ncli:\n  default_preference: [claude]\n",
  });
  const late = [finding({ line: 1, issue: "A matter of style.", priority: "medium" })];
  await project.reviewer("claude", [says(finding()), { confirmAll: true, findings: late }]);
  await project.run();
  await project.write("src/sum.js", FIXED);

  expect((await project.run()).outcomes[0]).toMatchObject({ detail: "1 finding (1 medium), round 2 of 2" });
});

test("a reviewer that always finds something new ends within max_rounds, and says so", async () => {
  await using project = await reviewProject({
    ".gauntlet/config.yml": "base_branch: main\nmax_retries: 50\ncli:\n  default_preference: [claude]\n",
    ".gauntlet/reviews/careful.md": "---\nmax_rounds: 4\n---\nLook for wrong results.\n",
  });
  const novelties = ["Overflow", "Underflow", "Leak", "Race", "Deadlock", "Typo"].map((issue) =>
    says(finding({ line: 1, issue, priority: "critical" })),
  );
  await project.reviewer("claude", novelties);

  const statuses: string[] = [];
  let last = await project.run();
  for (let edit = 1; last.status === "failed" && edit < 20; edit++) {
    statuses.push(last.status);
    await project.write("src/sum.js", `// edit ${edit}\n`);
    await project.answer("fixed", `edit ${edit}`);
    last = await project.run();
  }

  expect(statuses).toHaveLength(4);
  expect(last.status).toBe("passed_with_warnings");
  expect(last.message).toContain("stopped asking after 4 rounds, still open:");
  expect(await project.calls("claude")).toHaveLength(4);
});

test("findings below min_priority are left out", async () => {
  await using project = await reviewProject({
    ".gauntlet/reviews/careful.md": "---\nmin_priority: high\n---\nLook for wrong results.\n",
  });
  await project.reviewer("claude", [says(finding({ priority: "medium" }))]);

  expect((await project.run()).status).toBe("passed");
});

test("a broken answer file loses nothing: it is written again and the agent reads so", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  await project.run();
  await project.write("gauntlet_logs/review_._careful.slot-1.json", "I fixed everything!");

  const second = await project.run();

  expect(second.outcomes[0]).toMatchObject({ kind: "failed" });
  expect(second.feedback).toContain("not valid JSON");
  expect((await project.sheet()).findings).toHaveLength(1);
});

test("an answer file of nothing but brackets is a broken one", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  await project.run();
  await project.write("gauntlet_logs/review_._careful.slot-1.json", "[".repeat(300_000));

  expect((await project.run()).outcomes[0]).toMatchObject({ kind: "failed" });
});

test.each([
  ["cut off", (text: string) => text.slice(0, text.indexOf('"findings"') + 15)],
  ["without its findings", (text: string) => text.replace(/"findings": \[[^]*\]/, '"findings": []')],
])("a record %s settles nothing: the review begins anew", async (_, damage) => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  await project.run();
  const record = "gauntlet_logs/.state/reviews/review_._careful.slot-1.json";
  const text = await project.read(record);
  await project.write(record, damage(text));

  const second = await project.run();

  expect(damage(text)).not.toBe(text);
  expect(second.outcomes[0]).toMatchObject({ kind: "failed" });
  expect((await project.sheet()).findings).toHaveLength(1);
});

test("an answer survives the stray comma of a hand-edited file", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  await project.run();
  await project.answer("skipped", "on purpose");
  const text = await project.read("gauntlet_logs/review_._careful.slot-1.json");
  await project.write("gauntlet_logs/review_._careful.slot-1.json", text.replace(/\}\]/, "},]"));

  expect((await project.run()).status).toBe("passed_with_warnings");
});

test("deleting findings, or raising the round, settles nothing", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  await project.run();
  const sheet = await project.sheet();
  await project.write(
    "gauntlet_logs/review_._careful.slot-1.json",
    JSON.stringify({ ...sheet, round: 99, findings: [] }),
  );

  const second = await project.run();

  expect(second.status).toBe("failed");
  expect(second.outcomes[0]).toMatchObject({ detail: "1 finding (1 high), round 1 of 2" });
});

test("after a pass the next change is reviewed from the start", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(), says(finding())]);
  await project.run();
  await project.write("src/sum.js", "export const mean = (list) => 0 / list.length;\n");

  const second = await project.run();

  expect(second.outcomes[0]).toMatchObject({ detail: expect.stringContaining("round 1 of 2") });
  expect((await project.calls("claude"))[1]?.prompt).not.toContain("reviewed before");
});

test("a skip from an earlier review still stands when the reviewer raises the same again", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  await project.run();
  await project.answer("skipped", "on purpose");
  await project.run();
  await project.write("src/other.js", "export const other = 1;\n");

  const next = await project.run();

  expect(next.status).toBe("passed_with_warnings");
  expect((await project.calls("claude"))[1]?.prompt).toContain("Settled findings");
});

test("a review that failed is asked again although its files are no longer part of the change", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding()), { confirmAll: true }]);
  await project.run();
  project.git("checkout", "-q", "src/sum.js");

  const second = await project.run();

  expect(second.status).toBe("passed");
  expect(await project.calls("claude")).toHaveLength(2);
});

test("clean forgets the findings", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  await project.run();
  const { cleanProject } = await import("../../src/run/clean.ts");
  const { loadSettings } = await import("../../src/config/gauntlet/load.ts");
  const { absolutePath } = await import("../../src/path.ts");
  const loaded = await loadSettings(absolutePath(project.root), project.env);
  if (loaded.ok) await cleanProject(loaded.value.settings, project.env, true);

  await expect(project.sheet()).rejects.toThrow("ENOENT");
  expect((await project.run()).outcomes[0]).toMatchObject({ detail: expect.stringContaining("round 1") });
});
