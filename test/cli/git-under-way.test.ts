import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const NO_MARKERS = "! grep -q '<<<<<<<' a.txt";

/** `work` and `main` have changed the same line since they parted; `work` is checked out. */
async function parted(): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": `base_branch: main\nchecks: { markers: "${NO_MARKERS}" }\n`,
    "a.txt": "start\n",
  });
  await project.commit("start");
  await project.git("checkout", "--quiet", "-b", "work");
  await project.write({ "a.txt": "work\n" });
  await project.commit("work");
  await project.git("checkout", "--quiet", "main");
  await project.write({ "a.txt": "main\n" });
  await project.commit("main");
  await project.git("checkout", "--quiet", "work");
  return project;
}

describe("a stop in the middle of something judges the files as they are, and leaves it to go on", () => {
  test.each([
    ["rebase", "rebase-merge", ["rebase", "main"], ["rebase", "--continue"]],
    ["merge", "MERGE_HEAD", ["merge", "main"], ["merge", "--continue"]],
    ["cherry-pick", "CHERRY_PICK_HEAD", ["cherry-pick", "main"], ["cherry-pick", "--continue"]],
  ] as const)("%s", async (...[, trace, begin, goOn]) => {
    await using project = await parted();
    await expect(project.git(...begin)).rejects.toThrow();

    const conflict = await project.stop();
    await project.write({ "a.txt": "both\n" });
    const solved = await project.stop();
    const isUnderWay = existsSync(join(project.root, ".git", trace));
    await project.git("add", "a.txt");
    await project.git("-c", "core.editor=true", ...goOn);
    const done = await project.stop();

    expect(conflict.answer.status).toBe("failed");
    expect(solved.answer.status).toBe("passed");
    expect(isUnderWay).toBe(true);
    expect(done.answer.status).toBe("passed");
  });

  test("bisect: the commit that is looked at is compared with the base", async () => {
    await using project = await parted();
    await project.git("bisect", "start", "HEAD", "main~1");
    await project.write({ "a.txt": "<<<<<<<\n" });

    const { answer } = await project.stop();
    await project.git("checkout", "--quiet", "a.txt");
    await project.git("bisect", "reset");

    expect(answer.status).toBe("failed");
    expect((await project.stop()).answer.status).toBe("passed");
  });
});

test("a clone without its files, whose remote is gone, gets an answer", async () => {
  await using origin = await parted();
  await origin.git("config", "uploadpack.allowFilter", "true");
  await origin.git(
    "clone",
    "--quiet",
    "--filter=blob:none",
    "--branch=work",
    `file://${origin.root}`,
    "../clone",
  );
  const clone = origin.at("../clone");
  await clone.git("mv", "a.txt", "b.txt");
  await clone.write({
    "b.txt": "another\n",
    ".gauntlet/config.yml": "base_branch: origin/main\nchecks: { red: exit 1 }\n",
  });
  await clone.commit("moved");
  rmSync(join(origin.root, ".git"), { recursive: true });

  const { answer } = await clone.stop({ cwd: clone.root });

  expect(answer.status).toBe("failed");
});
