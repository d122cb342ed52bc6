import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { cleanEnv, type GauntletProject, run } from "../rig/gauntlet-project.ts";
import { env, placesIn, projectWith, stopIn } from "../rig/old-problems.ts";
import { GAUNTLET } from "../rig/program.ts";

let project: GauntletProject | undefined;

afterEach(async () => {
  await project?.[Symbol.asyncDispose]();
  project = undefined;
});

const PTY = join(import.meta.dirname, "../rig/terminal.py");
const HAS_PYTHON = spawnSync("python3", ["--version"]).status === 0;

/** `baseline` at a terminal, where the user says yes. */
function baselineByUser(made: GauntletProject) {
  return run(["python3", PTY, "24", "80", ...GAUNTLET, "baseline"], {
    cwd: made.root,
    env: { ...cleanEnv(made.home), ...env(made), TERM: "xterm", TYPED: "y\r" },
  });
}

function tests(options: string): string {
  return `import { test } from "node:test";
test("old", () => { throw new Error("old failure"); });
test("one", ${options}() => {});
test("two", ${options}() => {});
`;
}

function entry(file: string, message: string): object {
  return { gate: "check:.:lint", file, code: "no-bad", message, count: 1 };
}

describe.skipIf(!HAS_PYTHON)("the committed baseline (needs python3 for a terminal)", () => {
  const FILE = ".gauntlet/baseline.json";

  test("is written by a user, holds for stops without running anything twice, and shrinks", async () => {
    project = await projectWith("checks: { lint: sh lint.sh }\n");
    await project.write({ "src/c.js": "fine\n", "../home/tmp/.keep": "" });

    expect((await baselineByUser(project)).stdout).toContain(`Wrote ${FILE}. Commit it.`);
    const before = placesIn(project).length;
    const { answer } = await stopIn(project);

    expect(answer).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
    expect(placesIn(project)).toHaveLength(before + 1);
    await project.write({ "src/b.js": "two\n" });
    const fixed = await project.gauntlet(["run"], { env: env(project) });
    expect(fixed.stdout + fixed.stderr).toContain(
      `1 problem of ${FILE} is fixed: \`agent-gauntlet baseline --prune\` removes it.`,
    );
    expect((await project.gauntlet(["baseline", "--prune"], { env: env(project) })).exitCode).toBe(0);
    expect(project.read(FILE)).not.toContain("src/b.js");
    expect(project.read(FILE)).toContain("src/a.js");
  });

  test("is not needed where nothing is wrong", async () => {
    project = await projectWith("checks: { fine: exit 0 }\n");
    await project.write({ "../home/tmp/.keep": "" });

    const { stdout, exitCode } = await project.gauntlet(["baseline"], { env: env(project) });

    expect([stdout.split("\n").at(-2), exitCode]).toEqual(["No check found a problem.", 0]);
  });

  test("keeps what it says about an output that no parser reads while the check fails", async () => {
    project = await projectWith("checks: { odd: cat odd.txt; exit 1 }\n", { "odd.txt": "something odd\n" });
    await project.write({ "src/c.js": "fine\n", "../home/tmp/.keep": "" });
    await baselineByUser(project);
    const written = project.read(FILE);
    await project.write({ "odd.txt": "something odd\nand odder\n" });

    const run = await project.gauntlet(["run"], { env: env(project) });
    await project.gauntlet(["baseline", "--prune"], { env: env(project) });

    expect(run.stdout + run.stderr).not.toContain("--prune");
    expect(written).toContain('"output"');
    expect(project.read(FILE)).toBe(written);
  });

  test("cannot be made, or made to grow, by an agent: neither by the command nor by hand", async () => {
    project = await projectWith("checks: { lint: sh lint.sh }\n");
    await project.write({ "src/c.js": "BAD new\n", "../home/tmp/.keep": "" });

    const asked = await project.gauntlet(["baseline"], { env: env(project) });

    expect(asked).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("can only shrink") as string,
    });
    expect(project.has(FILE)).toBe(false);
    const problems = [
      entry("src/a.js", "BAD old"),
      entry("src/b.js", "BAD older"),
      entry("src/c.js", "BAD new"),
    ];
    await project.write({ [FILE]: JSON.stringify({ version: 1, problems }) });
    await project.commit("accept everything");
    expect((await stopIn(project)).answer).toMatchObject({ decision: "block" });
    const asCi = { env: { ...env(project), CI: "true" } };
    expect((await project.gauntlet(["run"], asCi)).exitCode).toBe(0); // there, people have read the file
    expect((await stopIn(project)).answer).toMatchObject({ decision: "block" }); // and a stop does not rest on that
  });

  test("excuses no check that runs fewer tests than when it was written, whatever an agent makes of the file", async () => {
    project = await projectWith("checks: { test: node --test a.test.mjs }\n", { "a.test.mjs": tests("") });
    await project.write({ "src/c.js": "fine\n", "../home/tmp/.keep": "" });
    await baselineByUser(project);
    const written = project.read(FILE);
    const same = await stopIn(project);

    await project.write({
      "a.test.mjs": tests("{ skip: true }, "),
      [FILE]: written.replace('"check:.:test": 3', '"check:.:test": 1'),
    });
    const lowered = await stopIn(project);
    await project.write({ [FILE]: written });
    const ran = await project.gauntlet(["run"], { env: env(project) });
    const pruned = await project.json(["baseline", "--prune"], { env: env(project) });

    expect(written).toContain('"ran": {\n    "check:.:test": 3\n  },');
    expect(same.answer.status).toBe("passed_with_warnings");
    expect(lowered.answer.decision).toBe("block");
    expect(lowered.answer.message).toContain("it ran 1 test where it ran 3 before");
    expect(ran.exitCode).toBe(1);
    expect(pruned).toMatchObject({ undecided: ["test: fewer tests ran than before"] });
    expect(project.read(FILE)).toBe(written);
  });

  test("that cannot be read excuses nothing, and says why", async () => {
    project = await projectWith("checks: { lint: sh lint.sh }\n");
    await project.write({ "src/c.js": "fine\n", [FILE]: "<<<<<<< ours\n", "../home/tmp/.keep": "" });

    const { answer } = await stopIn(project);

    expect(answer.decision).toBe("block");
    expect(answer.reason).toContain("it is not JSON: resolve the merge conflict");
  });
});
