import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  addReviewer,
  callsOf,
  finding,
  reviewProject,
  runGates,
  says,
  sheetOf,
} from "../rig/fake-reviewers.ts";

test("the reviewer sees committed, uncommitted and untracked changes, and their list", async () => {
  await using project = await reviewProject({ "gone.js": "1\n" });
  await addReviewer(project, "claude", [says()]);
  await project.git("checkout", "-qb", "work");
  await project.write({ "committed größe.js": "committed\n" });
  await project.git("rm", "-q", "gone.js");
  await project.git("add", "-A");
  await project.git("commit", "-qm", "work");
  await project.write({ ['un"tracked.js']: "untracked\n" });

  await runGates(project);

  const prompt = (await callsOf(project, "claude"))[0]?.prompt ?? "";
  expect(prompt).toContain("+committed\n");
  expect(prompt).toContain("+untracked\n");
  expect(prompt).toContain("-1\n");
  expect(prompt).toContain("- committed größe.js (added)");
  expect(prompt).toContain('- un"tracked.js (untracked)');
  expect(prompt).toContain("- gone.js (deleted)");
  expect(prompt).toContain("compared to main");
});

test("only the entry point's own files are shown", async () => {
  await using project = await reviewProject({
    ".gauntlet/config.yml":
      "base_branch: main\ncli:\n  default_preference: [claude]\nentry_points:\n  - path: src\n    exclude: ['src/vendor']\n    reviews: [careful]\n",
  });
  await addReviewer(project, "claude", [says(finding({ file: "docs/a.md" }))]);
  await project.write({ "docs/a.md": "elsewhere\n" });
  await project.write({ "src/vendor/big.js": "vendored\n" });

  const run = await runGates(project);

  const prompt = (await callsOf(project, "claude"))[0]?.prompt ?? "";
  expect(prompt).toContain("src/sum.js");
  expect(prompt).not.toContain("elsewhere");
  expect(prompt).not.toContain("vendored");
  expect(run.status).toBe("passed");
});

test("binary and generated files are named only", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says()]);
  await writeFile(join(project.root, "logo.png"), Buffer.from([0x89, 0x50, 0, 0, 1, 2]));
  await project.write({ "package-lock.json": '{"locked": true}\n' });

  await runGates(project);

  const prompt = (await callsOf(project, "claude"))[0]?.prompt ?? "";
  expect(prompt).toContain("- logo.png: binary, not shown");
  expect(prompt).toContain("- package-lock.json: generated, not shown");
  expect(prompt).not.toContain('+{"locked"');
});

test("a change of many megabytes is cut by file, with a note for each cut", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says()]);
  await project.write({ "src/huge.js": "const x = 1;\n".repeat(300_000) });

  await runGates(project);

  const prompt = (await callsOf(project, "claude"))[0]?.prompt ?? "";
  expect(prompt.length).toBeLessThan(420_000);
  expect(prompt).toContain("+export const mean");
  expect(prompt).toMatch(/- src\/huge\.js: the last \d+ lines of its diff are left out/);
});

test("the user's own diff settings change nothing", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says()]);
  for (const [key, value] of [
    ["diff.noprefix", "true"],
    ["color.ui", "always"],
    ["diff.external", "false"],
  ] as const)
    // prettier-ignore
    await project.git("config", key, value);

  await runGates(project);

  expect((await callsOf(project, "claude"))[0]?.prompt).toContain("+++ b/src/sum.js");
});

test("a repository without any commit can be reviewed, and a project in a subdirectory of one", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await project.git("update-ref", "-d", "HEAD");

  expect((await runGates(project)).outcomes[0]?.review?.open).toHaveLength(1);
});

test("what changed since the last round is shown on its own, and only trees in use are kept", async () => {
  await using project = await reviewProject({ "src/other.js": "1\n" });
  await project.write({ "src/other.js": "2\n" });
  await addReviewer(project, "claude", [says(finding()), { confirmAll: true }]);
  await runGates(project);
  await project.write({ "src/sum.js": "export const mean = () => 0;\n" });

  await runGates(project);

  const prompt = (await callsOf(project, "claude"))[1]?.prompt ?? "";
  const [, since = "", whole = ""] = /## What changed since the last review([\s\S]*?)## The whole change([\s\S]*)/.exec(prompt) ?? []; // prettier-ignore
  expect(since).toContain("+export const mean = () => 0;");
  expect(since).not.toContain("other.js");
  expect(whole).toContain("other.js");
  const { tree } = sheetOf(project) as { tree?: string };
  expect(await readdir(join(project.root, "gauntlet_logs/.state/reviews/trees"))).toEqual([tree]);
});

test("a review touches neither the repository, the index nor the work tree", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  const before = [await project.git("status", "--porcelain"), await project.git("count-objects", "-v")];

  await runGates(project);

  expect([await project.git("status", "--porcelain"), await project.git("count-objects", "-v")]).toEqual(
    before,
  );
});

test("a built-in review needs no file", async () => {
  await using project = await reviewProject({
    ".gauntlet/config.yml":
      "base_branch: main\nreviews: [test-integrity]\ncli:\n  default_preference: [claude]\nentry_points:\n  - path: .\n    reviews: [test-integrity]\n",
  });
  await addReviewer(project, "claude", [says()]);

  await runGates(project);

  expect((await callsOf(project, "claude"))[0]?.prompt).toContain("tests that were deleted, skipped");
});

test("--commit shows that commit and nothing later", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says()]);
  await project.git("commit", "-qam", "add the mean");
  await project.write({ "src/sum.js": "// something later\n" });

  await runGates(project, ["review", "--commit", "HEAD"]);

  const prompt = (await callsOf(project, "claude"))[0]?.prompt ?? "";
  expect(prompt).toContain("+export const mean");
  expect(prompt).not.toContain("something later");
});

test("a change outside of git is reviewed from its list of files", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);
  await rm(join(project.root, ".git"), { recursive: true });

  const run = await runGates(project);

  expect((await callsOf(project, "claude"))[0]?.prompt).toContain("- src/sum.js (untracked)");
  expect(run.outcomes[0]?.review?.open).toHaveLength(1);
});
