import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const LOG = "compiling\nsrc/a.zz(7): no good\nsrc/b.zz(9): worse\n";

const CONFIG = [
  "checks:",
  "  odd:",
  "    command: odd-tool",
  String.raw`    parser: { pattern: '^(?<file>.+?)\((?<line>\d+)\): (?<message>.*)$', kind: build }`,
  "entry_points: [{ path: ., checks: [odd] }]",
].join("\n");

describe.concurrent("parse", () => {
  test("shows what a check's pattern reads, and what the agent would get", async () => {
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": CONFIG });

    const done = await project.gauntlet(["parse", "--parser", "odd"], { stdin: LOG });

    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    expect(done.stdout).toBe(`Read: 2
  src/a.zz:7 error: no good
  src/b.zz:9 error: worse

What the agent would get:
2 errors in 2 files:
src/a.zz:7 error: no good
src/b.zz:9 error: worse
What else the log says:
compiling
Full log: (stdin)
`);
  });

  test("tries a parser by its name, without a project", async () => {
    await using project = await GauntletProject.create({});

    const done = await project.gauntlet(["parse", "--parser", "gcc"], { stdin: "src/a.c:3:9: error: x\n" });

    expect(done.exitCode).toBe(0);
    expect(done.stdout).toContain("Read: 1\n  src/a.c:3:9 error: x\n");
  });

  test("fails when nothing is read", async () => {
    await using project = await GauntletProject.create({});

    const done = await project.gauntlet(["parse", "--parser", "auto"], { stdin: "all is well\n" });

    expect(done.exitCode).toBe(1);
    expect(done.stdout).toContain("Read: 0\n");
  });

  test("says what it does not know, and what was probably meant", async () => {
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": CONFIG });

    const done = await project.gauntlet(["parse", "--parser", "oddd"], { stdin: LOG });

    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    expect(done.stderr).toContain("no parser and no check called 'oddd'; did you mean `odd`?");
  });

  test("a pattern that names neither a file nor a test is a configuration error", async () => {
    const config = CONFIG.replace("(?<file>.+?)", "(.+?)");
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": config });

    const done = await project.gauntlet(["validate"]);

    expect(done.exitCode).toBe(1);
    expect(done.stderr + done.stdout).toContain("parser");
  });
});
