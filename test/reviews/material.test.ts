import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finding, reviewProject, says } from "../rig/review-project.ts";

test("the reviewer sees committed, uncommitted and untracked changes, and their list", async () => {
  await using project = await reviewProject({ "gone.js": "1\n" });
  await project.reviewer("claude", [says()]);
  project.git("checkout", "-qb", "work");
  await project.write("committed größe.js", "committed\n");
  project.git("rm", "-q", "gone.js");
  project.git("add", "-A");
  project.git("commit", "-qm", "work");
  await project.write('un"tracked.js', "untracked\n");

  await project.run();

  const prompt = (await project.calls("claude"))[0]?.prompt ?? "";
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
  await project.reviewer("claude", [says(finding({ file: "docs/a.md" }))]);
  await project.write("docs/a.md", "elsewhere\n");
  await project.write("src/vendor/big.js", "vendored\n");

  const run = await project.run();

  const prompt = (await project.calls("claude"))[0]?.prompt ?? "";
  expect(prompt).toContain("src/sum.js");
  expect(prompt).not.toContain("elsewhere");
  expect(prompt).not.toContain("vendored");
  expect(run.status).toBe("passed");
});

test("binary and generated files are named only", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says()]);
  await writeFile(join(project.root, "logo.png"), Buffer.from([0x89, 0x50, 0, 0, 1, 2]));
  await project.write("package-lock.json", '{"locked": true}\n');

  await project.run();

  const prompt = (await project.calls("claude"))[0]?.prompt ?? "";
  expect(prompt).toContain("- logo.png: binary, not shown");
  expect(prompt).toContain("- package-lock.json: generated, not shown");
  expect(prompt).not.toContain('+{"locked"');
});

test("a change of many megabytes is cut by file, with a note for each cut", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says()]);
  await project.write("src/huge.js", "const x = 1;\n".repeat(300_000));

  await project.run();

  const prompt = (await project.calls("claude"))[0]?.prompt ?? "";
  expect(prompt.length).toBeLessThan(420_000);
  expect(prompt).toContain("+export const mean");
  expect(prompt).toMatch(/- src\/huge\.js: the last \d+ lines of its diff are left out/);
});

test("the user's own diff settings change nothing", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says()]);
  for (const [key, value] of [
    ["diff.noprefix", "true"],
    ["color.ui", "always"],
    ["diff.external", "false"],
  ] as const)
    // prettier-ignore
    project.git("config", key, value);

  await project.run();

  expect((await project.calls("claude"))[0]?.prompt).toContain("+++ b/src/sum.js");
});

test("a repository without any commit can be reviewed, and a project in a subdirectory of one", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  project.git("update-ref", "-d", "HEAD");

  expect((await project.run()).outcomes[0]?.review?.open).toHaveLength(1);
});

test("what changed since the last round is shown on its own, and only trees in use are kept", async () => {
  await using project = await reviewProject({ "src/other.js": "1\n" });
  await project.write("src/other.js", "2\n");
  await project.reviewer("claude", [says(finding()), { confirmAll: true }]);
  await project.run();
  await project.write("src/sum.js", "export const mean = () => 0;\n");

  await project.run();

  const prompt = (await project.calls("claude"))[1]?.prompt ?? "";
  const [, since = "", whole = ""] = /## What changed since the last review([\s\S]*?)## The whole change([\s\S]*)/.exec(prompt) ?? []; // prettier-ignore
  expect(since).toContain("+export const mean = () => 0;");
  expect(since).not.toContain("other.js");
  expect(whole).toContain("other.js");
  const { tree } = (await project.sheet()) as { tree?: string };
  expect(await readdir(join(project.root, "gauntlet_logs/.state/reviews/trees"))).toEqual([tree]);
});

test("a review touches neither the repository, the index nor the work tree", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  const before = [project.git("status", "--porcelain"), project.git("count-objects", "-v")];

  await project.run();

  expect([project.git("status", "--porcelain"), project.git("count-objects", "-v")]).toEqual(before);
});

test("a built-in review needs no file", async () => {
  await using project = await reviewProject({
    ".gauntlet/config.yml":
      "base_branch: main\nreviews: [test-integrity]\ncli:\n  default_preference: [claude]\nentry_points:\n  - path: .\n    reviews: [test-integrity]\n",
  });
  await project.reviewer("claude", [says()]);

  await project.run();

  expect((await project.calls("claude"))[0]?.prompt).toContain("tests that were deleted, skipped");
});

test("--commit shows that commit and nothing later", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says()]);
  project.git("commit", "-qam", "add the mean");
  await project.write("src/sum.js", "// something later\n");

  await project.run({ commit: "HEAD", kind: "review" });

  const prompt = (await project.calls("claude"))[0]?.prompt ?? "";
  expect(prompt).toContain("+export const mean");
  expect(prompt).not.toContain("something later");
});

test("a change outside of git is reviewed from its list of files", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding())]);
  await rm(join(project.root, ".git"), { recursive: true });

  const run = await project.run();

  expect((await project.calls("claude"))[0]?.prompt).toContain("- src/sum.js (untracked)");
  expect(run.outcomes[0]?.review?.open).toHaveLength(1);
});
