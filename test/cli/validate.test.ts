import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

describe.concurrent("validate", () => {
  test("says that all is well", async () => {
    await using project = await GauntletProject.withChecks({ test: "npm test" });

    expect(await project.gauntlet(["validate"])).toMatchObject({
      exitCode: 0,
      stdout: "All config files are valid.\n",
      stderr: "",
    });
  });

  test("reports every problem of every file at once, with its place", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "max_retries: many\nchecks:\n  a: {}\nentry_points: [{ path: ., checks: [a, gone] }]\n",
      ".gauntlet/checks/b.yml": "timeout: 5\n",
    });

    const done = await project.gauntlet(["validate"]);

    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    const places = done.stderr.match(/^\S+: (?:error|warning)/gm);
    expect(done.stderr.startsWith("Validation failed:\n")).toBe(true);
    expect(places).toEqual([
      ".gauntlet/config.yml:1:14: error",
      ".gauntlet/config.yml:3:3: error",
      ".gauntlet/config.yml:4:39: error",
      ".gauntlet/checks/b.yml:1:1: error",
    ]);
  });

  test("a warning does not make it invalid", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks: { a: b }\nbase_brunch: main\n",
    });

    const done = await project.gauntlet(["validate"]);

    expect(done).toMatchObject({ exitCode: 0, stdout: "All config files are valid.\n" });
    expect(done.stderr).toContain("did you mean `base_branch`?");
  });

  test("a stop that must end before any gate has to is a warning", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks: { a: b }\nstop_hook: { timeout: 5 }\n",
    });

    const done = await project.gauntlet(["validate"]);

    expect(done).toMatchObject({ exitCode: 0 });
    expect(done.stderr).toContain("config.yml:2:23: warning: `stop_hook.timeout` (5 s) is shorter than");
  });

  test.each([
    ["an empty file", ""],
    ["checks that are all commented out", "checks:\n  # test: npm test\nstop_hook: { timeout: 60 }\n"],
    ["`check:` for `checks:`", "check: { test: npm test }\n"],
    ["entry points without gates", "checks: { a: b }\nentry_points: [{ path: . }]\n"],
  ])("%s is an error: no gate could ever run", async (_, text) => {
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": text });

    const done = await project.gauntlet(["validate"]);

    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    expect(done.stderr).toContain("error: no gate can ever run, so nothing is checked");
    expect(done.stderr).not.toContain("Infinity");
  });

  test("warns about a working directory that does not exist, and not about one that does", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "checks:\n  here: { command: x, working_directory: web }\n  gone: { command: x, working_directory: wbe }\n",
      "web/a.txt": "",
    });

    const done = await project.gauntlet(["validate"]);

    expect(done).toMatchObject({ exitCode: 0, stdout: "All config files are valid.\n" });
    expect(done.stderr).toContain(
      ".gauntlet/config.yml:3:42: warning: the working directory `wbe` does not exist",
    );
    expect(done.stderr.match(/warning/g)).toHaveLength(1);
  });

  test("a directory in place of the configuration is an error, not a crash", async () => {
    await using project = await GauntletProject.create();
    await mkdir(join(project.root, ".gauntlet/config.yml"), { recursive: true });

    const done = await project.gauntlet(["validate"]);

    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    expect(done.stderr).toContain(".gauntlet/config.yml");
    expect(done.stderr).not.toContain("internal error");
  });

  test("without a configuration it says how to get one", async () => {
    await using project = await GauntletProject.create();

    const done = await project.gauntlet(["validate"]);

    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    expect(done.stderr).toBe(
      `No .gauntlet/config.yml in ${project.root} or above it. Run \`agent-gauntlet init\` to create one.\n`,
    );
  });
});
