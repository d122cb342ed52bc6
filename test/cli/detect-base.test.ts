import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { detect, detectFiles } from "../rig/detected.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const CI = { CI: "true" };

/** A clone whose origin has `main` as its default branch, standing on a branch `work` with one commit. */
async function cloned(config = "", cloneOptions: readonly string[] = []): Promise<GauntletProject> {
  const project = await GauntletProject.create(
    { ".gauntlet/config.yml": `${config}\nchecks:\n  test: 'true'\n`, start: "1" },
    { git: false },
  );
  const origin = `${project.home}/origin`;
  await project.git("init", "--quiet", "--initial-branch=main", origin);
  await project.git("-C", origin, "--work-tree", project.root, "add", "--all");
  await project.git("-C", origin, "commit", "--quiet", "-m", "start");
  await project.git("-C", origin, "reset", "--quiet", "--hard");
  await project.git("-C", origin, "branch", "release");
  await project.git("-C", origin, "commit", "--quiet", "--allow-empty", "-m", "second");
  const clone = project.at(`${project.home}/clone`);
  await project.git("clone", "--quiet", ...cloneOptions, `file://${origin}`, clone.root);
  await clone.git("switch", "--quiet", "--create", "work");
  await clone.write({ committed: "1" });
  await clone.commit("work");
  await clone.write({ uncommitted: "1" });
  return clone;
}

const BOTH = ["added committed", "untracked uncommitted"];

describe.concurrent("what changes are compared with", () => {
  test("origin/main, unless configured otherwise", async () => {
    await using clone = await cloned();
    const base = (await clone.git("merge-base", "origin/main", "HEAD")).trim();

    const { comparedTo, baseCommit, files, notes } = await detect(clone);

    expect({ comparedTo, baseCommit, files, notes }).toEqual({
      comparedTo: `origin/main (${base.slice(0, 7)})`,
      baseCommit: base,
      files: BOTH,
      notes: [],
    });
  });

  test("the point where the branch left, not the tip: what others did on main does not count", async () => {
    await using clone = await cloned();
    await clone.git("switch", "--quiet", "main");
    await clone.write({ theirs: "1" });
    await clone.git("add", "theirs");
    await clone.git("commit", "--quiet", "-m", "theirs");
    await clone.git("push", "--quiet", "origin", "HEAD:refs/heads/main-2");
    await clone.git("switch", "--quiet", "work");

    expect(await detectFiles(clone, ["--base", "main"])).toEqual(BOTH);
  });

  test("a branch that is only known as the remote's", async () => {
    await using clone = await cloned("base_branch: release");

    const { comparedTo, files, notes } = await detect(clone);

    expect(comparedTo).toMatch(/^origin\/release \(/);
    expect(files).toEqual(BOTH);
    expect(notes).toEqual(["release does not exist here: comparing with origin/release"]);
  });

  test("the remote's default branch when the configured one is missing, and says so", async () => {
    await using clone = await cloned("base_branch: origin/nowhere");

    const { comparedTo, files, notes } = await detect(clone);
    const people = await clone.gauntlet(["detect"]);

    expect(comparedTo).toMatch(/^origin\/HEAD \(/);
    expect(files).toEqual(BOTH);
    expect(notes).toEqual(["origin/nowhere does not exist here: comparing with origin/HEAD"]);
    expect(people.stderr).toBe(`${notes[0]}\n`);
  });

  test("only what is not committed when there is no remote either, and says so", async () => {
    await using project = await GauntletProject.withChecks({ test: "true" });
    await project.write({ a: "1" });

    expect(await detect(project)).toMatchObject({
      comparedTo: "the last commit",
      baseCommit: null,
      files: ["untracked a"],
      notes: [
        expect.stringMatching(
          /^Committed work was not looked at: the configured base branch \(origin\/main\) does not exist here.*`base_branch`/,
        ),
      ],
    });
  });

  test("the local branch of that name when there is no remote and work has left it", async () => {
    await using project = await GauntletProject.withChecks({ test: "true" });
    await project.git("switch", "--quiet", "--create", "work");
    await project.write({ a: "1" });
    await project.commit("work");

    expect(await detect(project)).toMatchObject({
      files: ["added a"],
      notes: ["origin/main does not exist here: comparing with main"],
    });
  });

  test("nothing before the first commit", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks:\n  test: 'true'\n",
      staged: "1",
      untracked: "1",
    });
    await project.git("add", "staged");

    expect(await detect(project)).toMatchObject({
      comparedTo: "nothing (no commits yet)",
      files: ["added staged", "untracked .gauntlet/config.yml", "untracked untracked"],
      notes: [],
      gates: ["check:.:test"],
    });
  });

  test("an orphan branch counts as before the first commit", async () => {
    await using clone = await cloned();
    await clone.git("checkout", "--quiet", "--orphan", "new-life");

    expect(await detect(clone)).toMatchObject({ comparedTo: "nothing (no commits yet)", notes: [] });
  });

  test("the tip of the base when a shallow clone does not reach the common ancestor, and says so", async () => {
    await using clone = await cloned("", ["--depth=1", "--no-single-branch"]);
    await clone.git("push", "--quiet", "--force", "origin", "work");

    const { files, notes } = await detect(clone, ["--base", "origin/release"]);

    expect(files).toEqual(BOTH);
    expect(notes).toEqual([
      "no common ancestor with origin/release (a shallow clone?): comparing with its tip",
    ]);
  });

  test("a shallow clone compares with its base like any other while the ancestor is there", async () => {
    await using clone = await cloned("", ["--depth=1"]);

    expect(await detect(clone)).toMatchObject({ files: BOTH, notes: [] });
  });

  test("a detached HEAD is compared like a branch", async () => {
    await using clone = await cloned();
    await clone.git("switch", "--quiet", "--detach");

    expect(await detectFiles(clone)).toEqual(BOTH);
  });
});

let clone: GauntletProject;
beforeAll(async () => {
  clone = await cloned();
  await clone.git("tag", "--annotate", "--message=one", "v1");
});
afterAll(() => clone[Symbol.asyncDispose]());

describe.concurrent("what the command line asks for", () => {
  test("--uncommitted leaves commits out", async () => {
    expect(await detect(clone, ["--uncommitted"])).toMatchObject({
      comparedTo: "the last commit",
      files: ["untracked uncommitted"],
      notes: [],
    });
  });

  test.for(["HEAD", "work", "v1", "HEAD~0", "HEAD^{/work}"])(
    "--commit %s looks at that commit alone",
    async (commit) => {
      expect(await detect(clone, ["--commit", commit])).toMatchObject({
        comparedTo: expect.stringMatching(/^the parent of commit [0-9a-f]{7}$/),
        baseCommit: (await clone.git("rev-parse", "HEAD^")).trim(),
        files: ["added committed"],
      });
    },
  );

  test("--commit of the very first commit counts every file as added", async () => {
    const root = (await clone.git("rev-list", "--max-parents=0", "HEAD")).trim();

    expect(await detect(clone, ["--commit", root])).toMatchObject({
      comparedTo: `nothing (commit ${root.slice(0, 7)} has no parent)`,
      baseCommit: null,
      files: ["added .gauntlet/config.yml", "added start"],
    });
  });

  test("--commit of a merge shows what came in by it", async () => {
    await using clone = await cloned();
    await clone.git("switch", "--quiet", "--create", "side", "main");
    await clone.write({ side: "1" });
    await clone.git("add", "side");
    await clone.git("commit", "--quiet", "-m", "side");
    await clone.git("switch", "--quiet", "work");
    await clone.git("merge", "--quiet", "--no-edit", "side");

    expect(await detectFiles(clone, ["--commit", "HEAD"])).toEqual(["added side"]);
  });

  test("settings for git log do not get in the way of --commit", async () => {
    await using clone = await cloned();
    await clone.git("config", "log.showSignature", "true");
    await clone.git("config", "format.pretty", "oneline");

    expect(await detectFiles(clone, ["--commit", "HEAD"])).toEqual(["added committed"]);
  });

  test.for(["HEAD~1", "main", "origin/main", "release", "refs/remotes/origin/main"])(
    "--base %s is compared with",
    async (base) => {
      expect(await detectFiles(clone, ["--base", base])).toEqual(BOTH);
    },
  );

  test.for([
    ["--base", "nowhere"],
    ["--base", ""],
    ["--base", "--all"],
    ["--base", "-x"],
    ["--commit", "nowhere"],
    ["--commit", "--output=pwned"],
    ["--commit", "0000000000000000000000000000000000000000"],
    ["--commit", "HEAD:start"],
    ["--base", "$(touch pwned)"],
    ["--base", "a\nb"],
  ] as const)("%s %j is refused with its name, exit code 1", async ([flag, revision]) => {
    const done = await clone.gauntlet(["detect", `${flag}=${revision}`]);

    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    expect(done.stderr).toContain(`git does not know the revision "${revision}"`);
    expect(clone.has("pwned")).toBe(false);
  });

  test.for([
    ["--base", "main", "--uncommitted"],
    ["--base", "main", "--commit", "HEAD"],
    ["--commit", "HEAD", "--uncommitted"],
  ])("%s %s %s contradict each other, exit code 1", async (args) => {
    await using project = await GauntletProject.withChecks({ test: "true" });

    for (const command of ["detect", "run", "check"]) {
      const done = await project.gauntlet([command, ...args]);
      expect(done).toMatchObject({ exitCode: 1, stdout: "" });
      expect(done.stderr).toContain("cannot be used with option");
    }
  });
});

describe.concurrent("on a build server", () => {
  test("GITHUB_BASE_REF is what the pull request will be merged into", async () => {
    const inCi = await detect(clone, [], { env: { ...CI, GITHUB_BASE_REF: "release" } });
    const atHome = await detect(clone, [], { env: { GITHUB_BASE_REF: "release" } });

    expect(inCi.comparedTo).toMatch(/^origin\/release \(/);
    expect(atHome.comparedTo).toMatch(/^origin\/main \(/);
  });

  test("--base outranks GITHUB_BASE_REF", async () => {
    const { comparedTo } = await detect(clone, ["--base", "HEAD"], {
      env: { ...CI, GITHUB_BASE_REF: "release" },
    });

    expect(comparedTo).toMatch(/^HEAD \(/);
  });

  test("without a base a commit is compared with its parent, and says so", async () => {
    await using project = await GauntletProject.withChecks({ test: "true" });
    await project.write({ a: "1" });
    await project.commit("second");

    expect(await detect(project, [], { env: CI })).toMatchObject({
      files: ["added a"],
      notes: ["origin/main does not exist here: comparing with the parent commit"],
    });
  });

  test("without a base and a parent every file counts, and says so: nothing is waved through", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks: { test: 'true' }\n",
      a: "1",
    });
    await project.commit("start");

    expect(await detect(project, [], { env: CI })).toMatchObject({
      files: ["added .gauntlet/config.yml", "added a"],
      notes: ["origin/main does not exist here, nor does a parent commit: every file counts as changed"],
      gates: ["check:.:test"],
    });
  });
});
