import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

test("run --staged looks only at what the next commit holds, and says where the work tree differs", async () => {
  await using project = await GauntletProject.withChecks(
    { list: "echo {files}" },
    { "a.txt": "", "b.txt": "" },
  );
  await project.write({ "a.txt": "staged", "b.txt": "not staged" });
  await project.git("add", "a.txt");
  await project.write({ "a.txt": "staged, then edited" });

  const run = await project.gauntlet(["run", "--staged"]);

  expect(run.exitCode).toBe(0);
  expect(project.read("gauntlet_logs/check_._list.1.log")).toBe("a.txt\n");
  expect(run.stdout).toContain("a.txt changed again after `git add`");
});

test("install --git-hook pre-commit: a red gate keeps git from committing, also from another index", async () => {
  await using project = await GauntletProject.withChecks({ clean: "! grep -l bad {files}" }, { "a.txt": "" });
  await project.gauntlet(["install", "--git-hook", "pre-commit", "--yes"]);

  await project.write({ "a.txt": "bad", "b.txt": "bad" });
  await expect(project.git("commit", "--all", "--quiet", "--message", "bad")).rejects.toThrow("a.txt");
  await project.write({ "a.txt": "good" });
  await project.git("commit", "--all", "--quiet", "--message", "good");

  expect(await project.git("log", "--format=%s")).toBe("good\nstart\n");
  expect((await project.gauntlet(["install", "--git-hook", "pre-commit", "--yes"])).exitCode).toBe(0);
  expect(project.read(".git/hooks/pre-commit").match(/run --staged/g)).toHaveLength(1);

  const { stdout } = await project.gauntlet(["uninstall", "--git-hook", "pre-commit", "--yes"]);
  expect(stdout).toContain("✓ Our lines are out of .git/hooks/pre-commit.");
  expect(project.has(".git/hooks/pre-commit")).toBe(false);
});
