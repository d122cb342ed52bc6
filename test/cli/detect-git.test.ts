import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { detect, detectFiles } from "../rig/detected.ts";
import { GauntletProject, run } from "../rig/gauntlet-project.ts";

const CONFIG = "base_branch: main\nchecks:\n  test: 'true'\n";

async function project(files: Readonly<Record<string, string>> = {}): Promise<GauntletProject> {
  const created = await GauntletProject.create({ ".gauntlet/config.yml": CONFIG, ...files });
  await created.commit("start");
  return created;
}

describe.concurrent("shapes of repositories", () => {
  test("a linked worktree", async () => {
    await using main = await project({ a: "1" });
    await main.git("worktree", "add", "--quiet", "-b", "side", `${main.home}/side`);
    const side = main.at(`${main.home}/side`);
    await side.write({ a: "2", b: "1" });

    expect(await detectFiles(side)).toEqual(["modified a", "untracked b"]);
    expect(await detectFiles(main)).toEqual([]);
  });

  test("a project in a subdirectory sees its own changes only, by its own paths", async () => {
    await using repo = await GauntletProject.create({
      "top.ts": "1",
      "sub/dir/.gauntlet/config.yml": CONFIG,
      "sub/dir/src/a.ts": "content of a",
      "sub/dir/gone.ts": "content to go",
      "sub/dir-2/x": "1",
    });
    await repo.commit("start");
    await repo.git("switch", "--quiet", "--create", "work");
    await repo.write({ "top.ts": "2", "sub/dir/src/committed.ts": "1", "sub/dir-2/x": "2" });
    await repo.commit("work");
    await repo.git("mv", "sub/dir/src/a.ts", "sub/dir/src/b.ts");
    await repo.git("mv", "top.ts", "sub/dir/came-in.ts");
    await repo.git("mv", "sub/dir/gone.ts", "went-out.ts");
    await repo.write({ "sub/dir/new": "1", outside: "1" });
    const inside = repo.at("sub/dir");

    const files = [
      "added came-in.ts",
      "added src/committed.ts",
      "deleted gone.ts",
      "renamed src/a.ts → src/b.ts",
      "untracked new",
    ];
    expect(await detectFiles(inside)).toEqual(files);
    expect(await detectFiles(inside, [], { cwd: join(repo.root, "sub/dir/src") })).toEqual(files);
    expect(await detectFiles(inside, ["--commit", "HEAD"])).toEqual(["added src/committed.ts"]);
  });

  test("a project reached through a symbolic link", async () => {
    await using real = await project();
    const link = join(real.home, "link");
    await symlink(real.root, link);
    await real.write({ "src/a.ts": "1" });

    expect(await detectFiles(real, [], { cwd: join(link, "src") })).toEqual(["untracked src/a.ts"]);
  });

  test("a directory name with a space, a quote and a newline", async () => {
    await using outer = await project();
    await outer.write({ [`we "i'rd\n dir/.gauntlet/config.yml`]: CONFIG, "we \"i'rd\n dir/a": "1" });

    expect(await detectFiles(outer.at(`we "i'rd\n dir`))).toEqual([
      "untracked .gauntlet/config.yml",
      "untracked a",
    ]);
  });

  test.each([
    ["an empty `.git`", { ".git/x": "" }],
    ["a `.git` whose HEAD is nonsense", { ".git/HEAD": "x\n", ".git/objects/x": "", ".git/refs/x": "" }],
  ])("%s above the project is no repository: a configuration there is not the project's", async (_, git) => {
    await using above = await GauntletProject.create(
      { ...git, ".gauntlet/config.yml": "checks: { foreign: exit 1 }\n", "sub/a.txt": "" },
      { git: false },
    );

    expect((await above.at("sub").stop()).answer.status).toBe("no_config");
  });

  test("a submodule: clean is no change, dirty, moved on and removed are one", async () => {
    await using repo = await withSubmodule();
    const sub = repo.at("sub");

    expect(await detectFiles(repo)).toEqual([]);
    await sub.write({ untracked: "1" });
    expect(await detectFiles(repo)).toEqual(["modified sub"]);
    await sub.commit("moved on");
    expect(await detectFiles(repo)).toEqual(["modified sub"]);
    await repo.git("config", "submodule.sub.ignore", "all");
    await repo.git("config", "diff.ignoreSubmodules", "all");
    expect(await detectFiles(repo)).toEqual(["modified sub"]);
    await repo.git("rm", "--quiet", "--force", "sub");
    expect(await detectFiles(repo)).toEqual(["deleted sub", "modified .gitmodules"]);
  });

  test("a repository inside the repository is one untracked thing", async () => {
    await using repo = await project();
    await repo.git("init", "--quiet", "inner");
    await repo.write({ "inner/file": "1" });

    expect(await detectFiles(repo)).toEqual(["untracked inner"]);
  });

  test("a sparse checkout: what is not checked out is not deleted", async () => {
    await using repo = await project({ "in/a": "1", "out/b": "1" });
    await repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in", ".gauntlet");
    await repo.write({ "in/a": "2" });

    expect(repo.has("out/b")).toBe(false);
    expect(await detectFiles(repo)).toEqual(["modified in/a"]);
  });

  test("no git repository: every file counts, and says so", async () => {
    await using plain = await GauntletProject.create(
      {
        ".gauntlet/config.yml": CONFIG,
        "src/a.ts": "1",
        "node_modules/x/index.js": "1",
        "gauntlet_logs/old": "1",
      },
      { git: false },
    );

    expect(await detect(plain)).toMatchObject({
      comparedTo: "nothing (not in a git repository)",
      files: ["untracked .gauntlet/config.yml", "untracked src/a.ts"],
      notes: ["not in a git repository: every file counts as changed"],
      gates: ["check:.:test"],
    });
  });

  test("git is not installed: every file counts, and says so", async () => {
    await using repo = await project({ a: "1" });
    const emptyBin = join(repo.home, "bin");
    await mkdir(emptyBin);

    expect(await detect(repo, [], { env: { PATH: emptyBin } })).toMatchObject({
      files: ["untracked .gauntlet/config.yml", "untracked a"],
      notes: ["git could not be started: every file counts as changed"],
    });
  });

  test("a repository of another user: git's own words, exit code 1", async () => {
    await using repo = await project();

    const done = await repo.gauntlet(["detect"], { env: { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" } });

    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    expect(done.stderr).toContain("safe.directory");
  });

  test("a broken index: git's own words, exit code 1, no crash", async () => {
    await using repo = await project();
    await writeFile(join(repo.root, ".git/index"), "garbage");

    const done = await repo.gauntlet(["detect"]);

    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    expect(done.stderr).toMatch(/^`git .*` failed: .*index/s);
  });
});

describe.concurrent("in the middle of something", () => {
  test("a merge with conflicts", async () => {
    await using repo = await inConflict("merge");

    expect(await detectFiles(repo)).toEqual(["modified other", "unmerged both", "unmerged deleted-by-us"]);
  });

  test("a rebase with conflicts, on a detached HEAD", async () => {
    await using repo = await inConflict("rebase");

    expect(await detectFiles(repo)).toEqual(["modified other", "unmerged both", "unmerged deleted-by-us"]);
  });

  test("someone else holds the index lock", async () => {
    await using repo = await project({ a: "1" });
    await repo.write({ a: "2", ".git/index.lock": "" });

    expect(await detectFiles(repo)).toEqual(["modified a"]);
  });
});

describe.concurrent("settings that change what git prints", () => {
  const SETTINGS = {
    "core.quotepath": "true",
    "status.relativePaths": "true",
    "status.short": "true",
    "status.branch": "true",
    "status.showStash": "true",
    "status.showUntrackedFiles": "no",
    "status.renames": "copies",
    "status.submoduleSummary": "true",
    "diff.renames": "copies",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.relative": "true",
    "diff.external": "false",
    "diff.orderFile": "/dev/null",
    "color.ui": "always",
    "color.status": "always",
    "color.diff": "always",
    "column.ui": "always",
    "core.pager": "false",
    "pager.status": "false",
    "alias.status": "!false",
    "alias.diff": "!false",
    "core.untrackedCache": "true",
    "core.splitIndex": "true",
    "core.fsmonitor": "false",
    "core.commentChar": "?",
    "core.abbrev": "4",
  };

  test("all of them at once change nothing", async () => {
    await using repo = await project({
      "dir/a": "content of a",
      "dir/b": "content of b, another",
      "dir/c": "1",
    });
    await repo.git("switch", "--quiet", "--create", "work");
    await repo.git("mv", "dir/a", "dir/ä");
    await repo.commit("work");
    await repo.write({ "dir/c": "2", "dir/ü": "1" });
    await repo.git("mv", "dir/b", "b");
    const before = await detectFiles(repo);
    for (const [name, value] of Object.entries(SETTINGS)) await repo.git("config", name, value);
    await repo.git("update-index", "--split-index", "--untracked-cache");

    expect(before).toEqual([
      "modified dir/c",
      "renamed dir/a → dir/ä",
      "renamed dir/b → b",
      "untracked dir/ü",
    ]);
    expect(await detectFiles(repo)).toEqual(before);
    expect(await detectFiles(repo, ["--commit", "HEAD"])).toEqual(["renamed dir/a → dir/ä"]);
  });

  test("diff.renames=false still finds renames", async () => {
    await using repo = await project({ a: "content of a" });
    await repo.git("config", "diff.renames", "false");
    await repo.git("config", "status.renames", "false");
    await repo.git("mv", "a", "b");

    expect(await detectFiles(repo)).toEqual(["renamed a → b"]);
  });

  test.for(["true", "input", "false"])(
    "core.autocrlf=%s: unchanged files stay unchanged",
    async (autocrlf) => {
      await using repo = await project({ unix: "a\nb\n", dos: "a\r\nb\r\n" });
      await repo.git("config", "core.autocrlf", autocrlf);
      await rm(join(repo.root, "unix"));
      await repo.git("checkout", "--quiet", "--", "unix");
      await repo.write({ edited: "a\r\nb\n" });

      expect(await detectFiles(repo)).toEqual(["untracked edited"]);
    },
  );

  test("a hook, an alias and an external diff of the user are not run", async () => {
    await using repo = await project({ a: "1" });
    const trap = `#!/bin/sh\ntouch "${repo.home}/sprung"\n`;
    await repo.write({ ".git/hooks/post-index-change": trap, ".git/trap": trap });
    for (const file of ["hooks/post-index-change", "trap"]) await chmod(join(repo.root, ".git", file), 0o755);
    await repo.git("config", "diff.external", join(repo.root, ".git/trap"));
    await repo.git("config", "core.fsmonitor", join(repo.root, ".git/trap"));
    await rm(join(repo.home, "sprung"), { force: true });
    await repo.write({ a: "2" });

    await repo.gauntlet(["run"]);

    const { exitCode } = await run(["test", "-e", "sprung"], { cwd: repo.home, env: {} });
    expect(exitCode).toBe(1);
  });
});

describe.concurrent("variables that point git elsewhere", () => {
  test("are not followed: the project's own repository counts", async () => {
    await using repo = await project({ a: "1" });
    await using other = await project({ elsewhere: "1" });
    await repo.write({ a: "2" });

    const files = await detectFiles(repo, [], {
      env: {
        GIT_DIR: join(other.root, ".git"),
        GIT_WORK_TREE: other.root,
        GIT_INDEX_FILE: join(other.root, ".git/index"),
        GIT_OBJECT_DIRECTORY: join(other.root, ".git/objects"),
        GIT_PREFIX: "nowhere/",
        GIT_EXTERNAL_DIFF: "false",
        GIT_PAGER: "false",
        GIT_LITERAL_PATHSPECS: "1",
        GIT_TRACE: "1",
        LC_ALL: "de_DE.UTF-8",
        LANGUAGE: "de",
      },
    });

    expect(files).toEqual(["modified a"]);
  });
});

async function withSubmodule(): Promise<GauntletProject> {
  const repo = await project();
  const library = join(repo.home, "library");
  await repo.git("init", "--quiet", library);
  await repo.git("-C", library, "commit", "--quiet", "--allow-empty", "-m", "start");
  await repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "sub");
  await repo.commit("submodule");
  return repo;
}

async function inConflict(how: "merge" | "rebase"): Promise<GauntletProject> {
  const repo = await project({ both: "1\n", other: "1\n", "deleted-by-us": "1\n" });
  await repo.git("switch", "--quiet", "--create", "theirs");
  await repo.write({ both: "theirs\n", other: "theirs\n", "deleted-by-us": "theirs\n" });
  await repo.commit("theirs");
  await repo.git("switch", "--quiet", "--create", "work", "main");
  await repo.write({ both: "ours\n" });
  await repo.git("rm", "--quiet", "deleted-by-us");
  await repo.commit("ours");
  await expect(repo.git(how, "theirs")).rejects.toThrow();
  return repo;
}
