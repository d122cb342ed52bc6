import { chmod, mkdir, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { detect, detectFiles } from "../rig/detected.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

/** A project on another branch, so that `main` is something to compare with. */
async function onBranch(files: Readonly<Record<string, string>> = {}): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": "base_branch: main\nchecks:\n  test: 'true'\n",
    ...files,
  });
  await project.commit("start");
  await project.git("switch", "--quiet", "--create", "work");
  return project;
}

describe.concurrent("what counts as changed", () => {
  test("nothing, after a commit that main has", async () => {
    await using project = await onBranch();

    expect(await detect(project)).toMatchObject({ files: [], notes: [], gates: [] });
  });

  test("committed, staged, unstaged and untracked, each once", async () => {
    await using project = await onBranch({ unstaged: "1", staged: "1", both: "1" });
    await project.write({ committed: "1", both: "2" });
    await project.commit("work");
    await project.write({ staged: "2", "new-staged": "1" });
    await project.git("add", "staged", "new-staged");
    await project.write({ unstaged: "2", both: "3", untracked: "1" });

    expect(await detectFiles(project)).toEqual([
      "added committed",
      "added new-staged",
      "modified both",
      "modified staged",
      "modified unstaged",
      "untracked untracked",
    ]);
  });

  test("a file in a directory that is new as a whole", async () => {
    await using project = await onBranch();
    await project.write({ "new/deep/file.ts": "1" });

    expect(await detectFiles(project)).toEqual(["untracked new/deep/file.ts"]);
  });

  test("ignored files do not count", async () => {
    await using project = await onBranch({ ".gitignore": "dist/\n*.log\n" });
    await project.write({ "dist/out.js": "1", "x.log": "1" });

    expect(await detectFiles(project)).toEqual([]);
  });

  test("deletions, committed, staged and not", async () => {
    await using project = await onBranch({ a: "1", b: "22", c: "333" });
    await project.git("rm", "--quiet", "a");
    await project.commit("remove");
    await project.git("rm", "--quiet", "b");
    await unlink(join(project.root, "c"));

    expect(await detectFiles(project)).toEqual(["deleted a", "deleted b", "deleted c"]);
  });

  test("a file deleted in a commit and there again untracked", async () => {
    await using project = await onBranch({ a: "1" });
    await project.git("rm", "--quiet", "a");
    await project.commit("remove");
    await project.write({ a: "2" });

    expect(await detectFiles(project)).toEqual(["untracked a"]);
  });

  test("renames, committed and staged, with where they came from", async () => {
    await using project = await onBranch({ "old/a.ts": "content of a", "old/b.ts": "content of b, another" });
    await mkdir(join(project.root, "new"));
    await project.git("mv", "old/a.ts", "new/a.ts");
    await project.commit("move");
    await project.git("mv", "old/b.ts", "new/b.ts");

    expect(await detectFiles(project)).toEqual([
      "renamed old/a.ts → new/a.ts",
      "renamed old/b.ts → new/b.ts",
    ]);
  });

  test("a file that was renamed, committed, then deleted: its old place stays changed", async () => {
    await using project = await onBranch({ "old/a.ts": "content of a" });
    await project.git("mv", "old/a.ts", "b.ts");
    await project.commit("move");
    await unlink(join(project.root, "b.ts"));

    expect(await detectFiles(project)).toEqual(["deleted b.ts", "deleted old/a.ts"]);
  });

  test("a file moved without telling git is a deletion and an untracked file", async () => {
    await using project = await onBranch({ a: "1" });
    await rename(join(project.root, "a"), join(project.root, "b"));

    expect(await detectFiles(project)).toEqual(["deleted a", "untracked b"]);
  });

  test("a mode that changed", async () => {
    await using project = await onBranch({ "run.sh": "" });
    await chmod(join(project.root, "run.sh"), 0o755);

    expect(await detectFiles(project)).toEqual(["modified run.sh"]);
  });

  test("a symbolic link is itself, not what it points at", async () => {
    await using project = await onBranch({ "real/file": "1" });
    await symlink("real", join(project.root, "link"));

    expect(await detectFiles(project)).toEqual(["untracked link"]);
  });

  test("a file that became a directory", async () => {
    await using project = await onBranch({ thing: "1" });
    await unlink(join(project.root, "thing"));
    await project.write({ "thing/inside": "1" });

    expect(await detectFiles(project)).toEqual(["deleted thing", "untracked thing/inside"]);
  });

  test("intent to add", async () => {
    await using project = await onBranch();
    await project.write({ later: "1" });
    await project.git("add", "--intent-to-add", "later");

    expect(await detectFiles(project)).toEqual(["added later"]);
  });
});

describe.concurrent("our own logs", () => {
  const config = "base_branch: main\nlog_dir: logs/gauntlet\nchecks:\n  test: 'true'\n";

  test("never count, although git does not ignore them", async () => {
    await using project = await onBranch({ ".gauntlet/config.yml": config });
    await project.write({ a: "1" });
    await project.gauntlet(["run"]);

    expect(project.has("logs/gauntlet")).toBe(true);
    expect(await detectFiles(project)).toEqual(["untracked a"]);
    expect(await project.git("status", "--porcelain")).toBe("?? a\n");
  });

  test("never count, even when they were committed long ago", async () => {
    await using project = await onBranch({ ".gauntlet/config.yml": config, "logs/gauntlet/old.log": "1" });
    await project.write({
      "logs/gauntlet/old.log": "2",
      "logs/gauntlet/new.log": "1",
      "logs/gauntlet2/x": "1",
    });

    expect(await detectFiles(project)).toEqual(["untracked logs/gauntlet2/x"]);
  });

  test("a file moved into them has still left its place", async () => {
    await using project = await onBranch({ ".gauntlet/config.yml": config, "src/a": "content of a" });
    await mkdir(join(project.root, "logs/gauntlet"), { recursive: true });
    await project.git("mv", "src/a", "logs/gauntlet/a");

    expect(await detectFiles(project)).toEqual(["renamed src/a → logs/gauntlet/a"]);
  });
});

describe.concurrent("names", () => {
  const NAMES = [
    "größe/日本語.ts",
    "with space.ts",
    " leading and trailing ",
    "new\nline",
    "tab\tname",
    'quote"s',
    "apostrophe's",
    "back\\slash",
    "-rf",
    "--option",
    "*.ts",
    "[brackets]",
    ":(top)magic",
    "$(touch pwned)",
    "emoji-👩‍👩‍👧",
    "a → b",
    "\u001B[31mred",
    "{a,b}",
    "#hash",
    "~tilde",
    "% percent",
    "e\u0301 combining",
    "é composed",
  ];

  test("of every kind are the same untracked, staged, committed and renamed", async () => {
    await using project = await onBranch();
    await project.write(Object.fromEntries(NAMES.map((name) => [name, `content of ${name}, long enough`])));

    const expected = (change: string): string[] => NAMES.map((name) => `${change} ${name}`).toSorted();
    expect(await detectFiles(project)).toEqual(expected("untracked"));
    await project.git("add", "--all");
    expect(await detectFiles(project)).toEqual(expected("added"));
    await project.commit("names");
    expect(await detectFiles(project)).toEqual(expected("added"));
    expect(await detectFiles(project, ["--uncommitted"])).toEqual([]);

    await project.git("branch", "--force", "main");
    await mkdir(join(project.root, "moved"));
    await project.git("mv", "--", ...NAMES.filter((name) => !name.includes("/")), "moved");
    expect(await detectFiles(project)).toEqual(
      NAMES.filter((name) => !name.includes("/"))
        .map((name) => `renamed ${name} → moved/${name}`)
        .toSorted(),
    );
    expect(project.has("pwned")).toBe(false);
  });

  test("that are no UTF-8 are shown with replacement characters and do not stop anything", async () => {
    await using project = await onBranch();
    await writeFile(Buffer.concat([Buffer.from(`${project.root}/latin-`), Buffer.from([0xe9, 0xff])]), "1");

    expect(await detectFiles(project)).toEqual(["untracked latin-\uFFFD\uFFFD"]);
  });

  test("match entry points in any script, and no gate runs for a neighbour", async () => {
    await using project = await onBranch({
      ".gauntlet/config.yml": [
        "base_branch: main",
        "checks: { a: 'true' }",
        "entry_points:",
        "  - { path: größe, checks: [a] }",
        "  - { path: app, checks: [a] }",
        "  - { path: '日本/*', checks: [a] }",
      ].join("\n"),
    });
    await project.write({ "größe/ü.ts": "1", "apple/x.ts": "1", "日本/東京/x": "1" });

    expect((await detect(project)).gates).toEqual(["check:größe:a", "check:日本/東京:a"]);
  });

  test("cannot break the lines or colours that people see", async () => {
    await using project = await onBranch();
    await project.write({ "two\nlines \u001B[31mred": "1" });

    const { stdout } = await project.gauntlet(["detect"]);

    expect(stdout.split("\n").slice(1)).toEqual([
      "  untracked two\\nlines \\u{1b}[31mred",
      "Gates that would run:",
      "  check:.:test  two\\nlines \\u{1b}[31mred changed",
      "",
    ]);
  });
});

describe.concurrent("what people see", () => {
  const config = [
    "base_branch: main",
    "checks: { lint: 'true', test: 'true' }",
    "entry_points:",
    "  - { path: app, exclude: ['**/*.md'], checks: [lint] }",
    "  - { path: lib, checks: [test] }",
  ].join("\n");

  test("detect names the changes and the gates they call for; --why also the others", async () => {
    await using project = await onBranch({ ".gauntlet/config.yml": config });
    await project.write({ "app/a.ts": "1", "app/b.md": "1" });

    const plain = await project.gauntlet(["detect"]);
    const why = await project.gauntlet(["detect", "--why"]);

    expect(plain.stdout.replace(/\([0-9a-f]{7}\)/, "(<sha>)"))
      .toBe(`2 files changed, compared to main (<sha>):
  untracked app/a.ts
  untracked app/b.md
Gates that would run:
  check:app:lint  app/a.ts changed
`);
    expect(why.stdout.endsWith("Skipped:\n  check:lib:test  nothing changed in lib\n")).toBe(true);
    expect([plain.exitCode, why.exitCode, plain.stderr, why.stderr]).toEqual([0, 0, "", ""]);
  });

  test("detect says that no gate would run", async () => {
    await using project = await onBranch({ ".gauntlet/config.yml": config });

    const { stdout } = await project.gauntlet(["detect"]);

    expect(stdout).toMatch(/^0 files changed, compared to main \([0-9a-f]{7}\)\.\nNo gate would run\.\n$/);
  });

  test("a run without changes is no_changes, one that touches no entry point no_applicable_gates", async () => {
    await using project = await onBranch({ ".gauntlet/config.yml": config });

    const unchanged = await project.json(["run"]);
    await project.write({ elsewhere: "1" });
    const elsewhere = await project.json(["run"]);

    expect([unchanged["status"], elsewhere["status"]]).toEqual(["no_changes", "no_applicable_gates"]);
    expect(await project.json(["status"])).toMatchObject({ lastRun: null });
  });

  test("a gate runs in its entry point, with ${BASE_BRANCH} filled in", async () => {
    await using project = await onBranch({
      ".gauntlet/config.yml": [
        "base_branch: main",
        "checks:",
        "  where: 'pwd > where.txt; echo ${BASE_BRANCH} >> where.txt'",
        "  fixed: { command: 'pwd > fixed.txt', working_directory: tools }",
        "entry_points: [{ path: 'packages/*', checks: [where, fixed] }]",
      ].join("\n"),
      "tools/x": "",
    });
    await project.write({ "packages/a/x": "1" });

    await project.gauntlet(["run"]);

    expect(project.read("packages/a/where.txt")).toBe(`${join(project.root, "packages/a")}\nmain\n`);
    expect(project.read("tools/fixed.txt")).toBe(`${join(project.root, "tools")}\n`);
  });

  test("a child that is gone altogether is skipped and named", async () => {
    await using project = await onBranch({
      ".gauntlet/config.yml":
        "base_branch: main\nchecks: { t: 'true' }\nentry_points: [{ path: 'packages/*', checks: [t] }]\n",
      "packages/a/x": "1",
    });
    await rm(join(project.root, "packages"), { recursive: true });

    const { stdout } = await project.gauntlet(["detect", "--why"]);

    expect(stdout).toContain("check:packages/a:t  packages/a no longer exists");
  });
});
