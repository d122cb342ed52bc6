import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";

const NO_BAD = "! grep -rq BAD --include=*.txt .";

describe("after a pass, git is told to look at another work tree", () => {
  test.each<[how: string, tell: (project: GauntletProject, elsewhere: string) => Promise<unknown>]>([
    ["core.worktree", (project, elsewhere) => project.git("config", "core.worktree", elsewhere)],
    [
      "core.worktree of this work tree alone",
      async (project, elsewhere) => {
        await project.git("config", "extensions.worktreeConfig", "true");
        await project.git("config", "--worktree", "core.worktree", elsewhere);
      },
    ],
  ])("%s: an error that names it, and nothing is verified", async (_, tell) => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "a.txt": "FINE" });
    await project.write({ "b.txt": "new" });
    await project.stop();
    const elsewhere = await copyOf(project, ".");
    await tell(project, elsewhere);
    await project.write({ "a.txt": "BAD" });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ status: "error", message: expect.stringContaining(elsewhere) as string });
    expect((await project.gauntlet(["verify"])).exitCode).not.toBe(0);
  });

  test("a directory that does not exist: an error, too", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "a.txt": "FINE" });
    await project.git("config", "core.worktree", join(project.home, "nowhere"));

    expect((await project.stop()).answer).toMatchObject({
      status: "error",
      message: expect.stringContaining("nowhere") as string,
    });
  });

  test("in a submodule, too", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD });
    const library = project.at("../library");
    await run(["git", "init", "--quiet", library.root], { cwd: "/", env: cleanEnv(project.home) });
    await library.write({ "a.txt": "FINE" });
    await library.commit("library");
    await project.git(
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      library.root,
      "vendor",
    );
    await project.commit("vendor");
    const elsewhere = await copyOf(project, "vendor");
    await project.at("vendor").git("config", "core.worktree", elsewhere);
    await project.write({ "vendor/a.txt": "BAD" });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ status: "error", message: expect.stringContaining(elsewhere) as string });
  });
});

async function copyOf(project: GauntletProject, directory: string): Promise<string> {
  const elsewhere = join(project.home, "elsewhere");
  await run(["cp", "-R", join(project.root, directory), elsewhere], { cwd: "/", env: cleanEnv("/") });
  return elsewhere;
}
