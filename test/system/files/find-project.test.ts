import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findProject } from "../../../src/system/files/find-project.ts";
import { GauntletProject } from "../../rig/gauntlet-project.ts";

const CONFIG = { ".gauntlet/config.yml": "checks:\n  test: 'true'\n" };

describe.concurrent("the project of a directory", () => {
  test("is the directory itself", async () => {
    await using project = await GauntletProject.create(CONFIG);

    expect(findProject(project.root)).toBe(project.root);
  });

  test("is the nearest directory above with a configuration", async () => {
    await using project = await GauntletProject.create({
      ...CONFIG,
      "a/.gauntlet/config.yml": "",
      "a/b/x": "",
      "c/d/x": "",
    });

    expect(findProject(join(project.root, "a/b"))).toBe(join(project.root, "a"));
    expect(findProject(join(project.root, "c/d"))).toBe(project.root);
  });

  test("never lies above the git work tree", async () => {
    await using outer = await GauntletProject.create(CONFIG, { git: false });
    await outer.git("init", "--quiet", "inner");
    await outer.write({ "inner/deep/x": "" });

    expect(findProject(join(outer.root, "inner"))).toBeUndefined();
    expect(findProject(join(outer.root, "inner/deep"))).toBeUndefined();
  });

  test("outside git is the directory itself or none: a stray file further up gates nothing", async () => {
    await using outer = await GauntletProject.create({ ...CONFIG, "sub/x": "" }, { git: false });

    expect(findProject(outer.root)).toBe(outer.root);
    expect(findProject(join(outer.root, "sub"))).toBeUndefined();
  });

  test("is found from a linked worktree, whose .git is a file", async () => {
    await using project = await GauntletProject.create({ ...CONFIG, "deep/x": "" });
    await project.commit("start");
    await project.git("worktree", "add", "--quiet", `${project.home}/side`);

    expect(findProject(join(project.home, "side/deep"))).toBe(join(project.home, "side"));
  });

  test("is found through a symbolic link by where it really is", async () => {
    await using project = await GauntletProject.create({ ...CONFIG, "deep/x": "" });
    await symlink(join(project.root, "deep"), join(project.home, "link"));

    expect(findProject(join(project.home, "link"))).toBe(project.root);
  });

  test("is still found from a directory that was just deleted", async () => {
    await using project = await GauntletProject.create(CONFIG);
    await mkdir(join(project.root, "gone/deeper"), { recursive: true });
    await rm(join(project.root, "gone"), { recursive: true });

    expect(findProject(join(project.root, "gone/deeper"))).toBe(project.root);
  });

  test("is undefined where there is nothing", async () => {
    await using project = await GauntletProject.create();

    expect(findProject(project.root)).toBeUndefined();
    expect(findProject("/")).toBeUndefined();
  });
});
