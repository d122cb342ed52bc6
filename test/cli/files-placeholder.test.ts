import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

async function lintedProject(check: string, more = ""): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": `checks:\n  lint:\n    command: ${check}\n${more}`,
    "old.ts": "1\n",
    "gone.ts": "1\n",
  });
  await project.commit("start");
  return project;
}

const PRINT = `"printf '<%s>\\\\n' {files}"`;
const ONLY_TS = '    files: ["*.ts"]\n';

describe.concurrent("{files} in a command", () => {
  test("leaves out what was below a directory that is a file now", async () => {
    await using project = await lintedProject(PRINT);
    await project.write({ "deep/inside.ts": "1\n" });
    await project.commit("more");
    await rm(join(project.root, "deep"), { recursive: true });
    await project.write({ deep: "a file\n" });

    const run = await project.gauntlet(["run", "--uncommitted"]);

    expect(run.stdout).toContain("[PASS] lint");
    expect(project.read("gauntlet_logs/check_._lint.1.log")).toBe("<deep>\n");
  });

  test("stands for the changed files that are still there and match", async () => {
    await using project = await lintedProject(PRINT, ONLY_TS);
    await project.write({ "old.ts": "2\n", "deep/new.ts": "", "readme.md": "" });
    await rm(join(project.root, "gone.ts"));

    await project.gauntlet(["run"]);

    const told = project.read("gauntlet_logs/check_._lint.1.log").trim().split("\n").toSorted();
    expect(told).toEqual(["<deep/new.ts>", "<old.ts>"]);
  });

  test("leaves a file that was moved elsewhere to the entry point it is in now", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `entry_points:\n  - path: packages/*\n    checks: [lint]\nchecks:\n  lint:\n    command: ${PRINT}\n`,
      "packages/a/x.ts": "1\n2\n3\n",
      "packages/a/stays.ts": "",
    });
    await project.commit("start");
    await project.write({ "packages/b/y.ts": "", "packages/a/stays.ts": "changed\n" });
    await project.git("mv", "packages/a/x.ts", "packages/b/x.ts");

    await project.gauntlet(["run"]);

    const told = (scope: string): readonly string[] =>
      project.read(`gauntlet_logs/check_packages_${scope}_lint.1.log`).trim().split("\n").toSorted();
    expect([told("a"), told("b")]).toEqual([["<stays.ts>"], ["<x.ts>", "<y.ts>"]]);
  });

  test("hands over any name as it is, never as code or option", async () => {
    await using project = await lintedProject(PRINT, ONLY_TS);
    const names = [
      "a b.ts",
      "quote'.ts",
      'double".ts',
      "$(touch hacked).ts",
      "`touch hacked`.ts",
      "new\nline.ts",
    ];
    await project.write(
      Object.fromEntries([...names, "-rf.ts", "*.ts", "日本.ts"].map((name) => [name, ""])),
    );

    await project.gauntlet(["run"]);

    const log = project.read("gauntlet_logs/check_._lint.1.log");
    for (const name of [...names, "./-rf.ts", "*.ts", "日本.ts"]) expect(log).toContain(`<${name}>\n`);
    expect(project.has("hacked")).toBe(false);
  });

  test("stands for the files it failed on until it passes, committed or not", async () => {
    await using project = await lintedProject(`"! grep bad {files}"`, ONLY_TS);
    await project.write({ "old.ts": "bad\n" });
    expect((await project.stop()).answer).toMatchObject({ status: "failed" });
    await project.commit("hide it");

    expect((await project.stop()).answer).toMatchObject({ status: "failed" });

    await project.write({ "old.ts": "good\n" });
    await project.commit("mend it");
    expect((await project.stop()).answer).toMatchObject({ status: "passed" });
  });

  test("stands for no file that is gone, though it failed on it", async () => {
    await using project = await lintedProject(`"! grep bad {files}"`, ONLY_TS);
    await project.write({ "new.ts": "bad\n" });
    expect((await project.stop()).answer).toMatchObject({ status: "failed" });
    await rm(join(project.root, "new.ts"));

    expect((await project.stop()).answer).toMatchObject({ decision: "approve" });
  });

  test("is relative to where the check runs", async () => {
    await using project = await lintedProject(PRINT, "    working_directory: deep\n");
    await project.write({ "deep/new.ts": "", "old.ts": "2\n" });

    await project.gauntlet(["run"]);

    const told = project.read("gauntlet_logs/check_._lint.1.log").trim().split("\n").toSorted();
    expect(told).toEqual(["<../old.ts>", "<new.ts>"]);
  });

  test("becomes several commands when the names are too long for one, and all must pass", async () => {
    await using project = await lintedProject(
      `"echo batch; case \\"$*\\" in *bad*) exit 3;; esac; : {files}"`,
    );
    const long = Array.from({ length: 900 }, (_, index) => `${"x".repeat(200)}${index}`);
    await project.write(Object.fromEntries(["bad", ...long].map((name) => [name, ""])));

    const done = await project.gauntlet(["run"]);

    expect(done.stdout).toContain("exit code 3");
    expect(project.read("gauntlet_logs/check_._lint.1.log").match(/batch/g)).toHaveLength(2);
  });

  test("skips the check with a reason when no file is left", async () => {
    await using project = await lintedProject(PRINT, ONLY_TS);
    await project.write({ "readme.md": "" });

    const detected = await project.gauntlet(["detect", "--why"]);

    expect(detected.stdout).toContain("check:.:lint  no changed file matches *.ts");
  });
});

test("quotation marks around {files} are a mistake that is explained", async () => {
  await using project = await lintedProject(`eslint "{files}"`);

  const done = await project.gauntlet(["validate"]);

  expect(done.exitCode).toBe(1);
  expect(done.stdout + done.stderr).toContain("`{files}` without quotation marks");
});

test("files without {files} is a mistake that is explained", async () => {
  await using project = await lintedProject("'true'", ONLY_TS);

  const done = await project.gauntlet(["validate"]);

  expect(done.exitCode).toBe(1);
  expect(done.stdout + done.stderr).toContain("needs `{files}` in the command");
});
