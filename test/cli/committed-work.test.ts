import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const CHECK = { ready: 'test "$(cat state.txt)" = good' };

/** A project whose one check passes, on a branch that is its own base, with no remote. */
async function localProject(config = ""): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks(CHECK, { "state.txt": "good" });
  if (config !== "") {
    await project.write({ ".gauntlet/config.yml": `${config}${project.read(".gauntlet/config.yml")}` });
    await project.commit("configure");
  }
  return project;
}

async function commitBroken(project: GauntletProject, message = "break it"): Promise<void> {
  await project.write({ "state.txt": "broken" });
  await project.commit(message);
}

/** The statuses of a stop, by session. */
async function statusOf(project: GauntletProject, session = "one"): Promise<string> {
  return (await project.stop({ session_id: session })).answer.status;
}

describe("committed work counts where the base says nothing about it", () => {
  test.each([
    ["no remote, so the configured base is missing", ""],
    ["the branch is the base", "base_branch: main\n"],
  ])("%s: compared with the last pass", async (_, config) => {
    await using project = await localProject(config);
    await project.write({ "other.txt": "work" });
    expect(await statusOf(project)).toBe("passed");

    await commitBroken(project);

    expect(await statusOf(project, "another session")).toBe("failed");
  });

  test("no remote: committing what has passed runs nothing again", async () => {
    await using project = await GauntletProject.withChecks({ ready: "echo >> ../runs" });
    await project.write({ "other.txt": "work" });
    const passed = await statusOf(project);

    await project.commit("done");
    const committed = await statusOf(project);
    await project.write({ "other.txt": "more work" });
    const changed = await statusOf(project);

    expect([passed, committed, changed]).toEqual(["passed", "passed", "passed"]);
    expect(project.read("../runs")).toBe("\n\n");
  });

  test.each(["master", "trunk"])("a repository whose main line is %s", async (branch) => {
    await using project = await localProject();
    await project.git("branch", "--move", branch);
    await project.write({ "other.txt": "work" });
    await statusOf(project);

    await commitBroken(project);

    expect(await statusOf(project)).toBe("failed");
  });

  test("compared with the start of the session once that is known, also after an amend", async () => {
    await using project = await localProject("base_branch: main\n");
    await statusOf(project);

    await commitBroken(project);
    const committed = await statusOf(project);
    await project.git("commit", "--quiet", "--amend", "--message", "break it again");
    const amended = await statusOf(project);

    expect([committed, amended]).toEqual(["failed", "failed"]);
  });

  test("another repository in the place of the one that the session began in: everything is new", async () => {
    await using project = await localProject("base_branch: main\n");
    await statusOf(project);

    rmSync(join(project.root, ".git"), { recursive: true });
    await project.git("init", "--quiet", "--initial-branch=main");
    await commitBroken(project);

    expect(await statusOf(project)).toBe("failed");
    expect((await project.gauntlet(["explain", "--verbose"])).stdout).toContain(
      "nothing (this repository does not hold what the session began with)",
    );
  });

  test("a rebase onto a base that has moved on hides nothing, on a branch and on the base itself", async () => {
    await using project = await localProject("base_branch: main\n");
    await project.git("checkout", "--quiet", "-b", "feature");
    await statusOf(project);
    await commitBroken(project);
    await project.git("checkout", "--quiet", "main");
    await project.write({ "main.txt": "more" });
    await project.commit("more on main");
    await project.git("checkout", "--quiet", "feature");

    await project.git("rebase", "--quiet", "main");
    const onBranch = await statusOf(project);
    await project.git("checkout", "--quiet", "main");
    await project.git("rebase", "--quiet", "feature");

    expect([onBranch, await statusOf(project)]).toEqual(["failed", "failed"]);
  });

  test("a push in the middle of a session hides nothing", async () => {
    await using project = await localProject();
    await project.git("init", "--quiet", "--bare", "--initial-branch=main", "../remote.git");
    await project.git("remote", "add", "origin", "../remote.git");
    await project.git("push", "--quiet", "origin", "main");
    await statusOf(project);

    await commitBroken(project);
    await project.git("push", "--quiet", "origin", "main");

    expect(await statusOf(project)).toBe("failed");
  });

  test("what a pull brings is not this session's to answer for", async () => {
    await using project = await localProject();
    await project.git("init", "--quiet", "--bare", "--initial-branch=main", "../remote.git");
    await project.git("remote", "add", "origin", "../remote.git");
    await project.git("push", "--quiet", "origin", "main");
    await project.write({ "other.txt": "work" });
    await statusOf(project);
    await project.git("clone", "--quiet", "../remote.git", "../colleague");
    const colleague = project.at("../colleague");
    await commitBroken(colleague);
    await colleague.git("push", "--quiet", "origin", "HEAD:main");
    await project.git("pull", "--quiet", "--ff-only", "origin", "main");
    await project.git("clean", "--quiet", "--force", "other.txt");

    expect(await statusOf(project, "a question only")).toBe("no_changes");
  });

  test("another branch, and a merge of the base into it, are compared with the base as ever", async () => {
    await using project = await localProject("base_branch: main\n");
    await project.git("checkout", "--quiet", "-b", "feature");
    await commitBroken(project);
    const onBranch = await statusOf(project);
    await project.git("checkout", "--quiet", "main");
    await project.write({ "main.txt": "more" });
    await project.commit("more on main");
    await project.git("checkout", "--quiet", "feature");
    await project.git("merge", "--quiet", "--no-edit", "main");

    expect([onBranch, await statusOf(project)]).toEqual(["failed", "failed"]);
  });

  test.each([
    ["moved onto HEAD", ["update-ref", "refs/remotes/origin/main", "HEAD"]],
    ["covered by a tag of its name", ["tag", "origin/main"]],
    ["covered by a branch of its name", ["branch", "origin/main"]],
  ])("a base that is %s hides nothing from a session that was seen before", async (_, cheat) => {
    await using project = await localProject();
    await project.git("update-ref", "refs/remotes/origin/main", "HEAD");
    await statusOf(project);

    await commitBroken(project);
    await project.git(...cheat);

    expect(await statusOf(project)).toBe("failed");
  });

  test("committing what passed runs nothing again", async () => {
    await using project = await localProject("base_branch: main\n");
    await project.write({ "state.txt": "good", "other.txt": "work" });
    await statusOf(project);
    await project.commit("what passed");

    const { answer } = await project.stop({ session_id: "one" });

    expect(answer.message).toContain("nothing changed since run 1 passed");
  });

  test("what was compared with is named: the last commit too, for what passed but is not committed", async () => {
    await using project = await localProject("base_branch: main\n");
    await project.write({ "other.txt": "work" });
    await project.gauntlet(["run"]);

    const { stdout } = await project.gauntlet(["detect"]);

    expect(stdout).toContain("1 file changed, compared to the last commit and the last pass (run 1):");
  });

  test("as a last resort the user is notified, once, that commits were not looked at and what to do", async () => {
    await using project = await localProject();
    await commitBroken(project);

    const first = (await project.stop({ session_id: "one" })).answer;
    const second = (await project.stop({ session_id: "one" })).answer;

    expect(first).toMatchObject({ status: "no_changes", decision: "approve" });
    expect(first.systemMessage).toMatch(
      /Committed work was not looked at.*`base_branch` in \.gauntlet\/config\.yml/,
    );
    expect(first.message).not.toMatch(/passed/i);
    expect(second.systemMessage).toBeUndefined();
  });
});
