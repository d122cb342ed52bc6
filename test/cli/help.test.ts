import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { cleanEnv, type Finished, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET_LINE } from "../rig/program.ts";

/** Runs a command in a new terminal (util-linux). */
const SCRIPT = "/usr/bin/script";

describe.concurrent("help", () => {
  test.for(["run", "detect", "stop-hook", "dashboard"])("%s --help is on stdout", async (name) => {
    await using empty = await GauntletProject.create({}, { git: false });

    const asked = await empty.gauntlet([name, "--help"]);

    expect(asked).toMatchObject({ exitCode: 0, stderr: "" });
    expect(asked.stdout).toMatch(new RegExp(`^Usage: agent-gauntlet ${name}`));
  });

  test("help and a name is the same", async () => {
    await using empty = await GauntletProject.create({}, { git: false });

    expect(await empty.gauntlet(["help", "detect"])).toEqual(await empty.gauntlet(["detect", "--help"]));
  });

  test("the overview shows examples, on stdout if somebody asked for it", async () => {
    await using empty = await GauntletProject.create({}, { git: false });

    const flag = await empty.gauntlet(["--help"]);
    const word = await empty.gauntlet(["help"]);
    const nothing = await empty.gauntlet([]);

    expect(flag).toMatchObject({ exitCode: 0, stderr: "" });
    expect(word.stdout).toBe(flag.stdout);
    expect(flag.stdout).toContain("Examples:\n  $ agent-gauntlet ");
    expect(nothing).toMatchObject({ exitCode: 1, stdout: "", stderr: flag.stdout });
  });

  test.for(["--version", "-V"])("%s is the version of the package", async (flag) => {
    await using empty = await GauntletProject.create({}, { git: false });

    expect(await empty.gauntlet([flag])).toMatchObject({
      exitCode: 0,
      stdout: `${packageJson.version}\n`,
      stderr: "",
    });
  });
});

describe.concurrent("what is mistyped", () => {
  test.for([
    [["lst"], "unknown command 'lst'", "did you mean `list`?"],
    [["help", "detct"], "unknown command 'detct'", "did you mean `detect`?"],
    [["detect", "--jsno"], "unknown option '--jsno'", "Did you mean --json?"],
    [["--verison"], "unknown option '--verison'", "Did you mean --version?"],
    [["run", "--gate"], "argument missing", "--help"],
    [["test"], "unknown command 'test'", "did you mean `run`?"],
    [["completion"], "missing required argument 'shell'", "--help"],
    [["completion", "tcsh"], "Allowed choices are bash, zsh, fish", "--help"],
    [["zzzzzz"], "unknown command 'zzzzzz'", "--help"],
  ] as const)("%j is refused on stderr, with a way out, exit code 1", async ([args, message, hint]) => {
    await using empty = await GauntletProject.create({}, { git: false });

    const done = await empty.gauntlet(args);

    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    expect(done.stderr).toContain(message);
    expect(done.stderr).toContain(hint);
  });

  test("a gate that does not exist is refused with the names of those that do", async () => {
    await using project = await GauntletProject.withChecks({ lint: "true", unit: "true" });

    const done = await project.gauntlet(["run", "--gate", "lnt"]);
    const known = await project.gauntlet(["run", "--gate", "unit", "--gate", "check:.:lint"]);

    expect(done.exitCode).toBe(1);
    expect(done.stderr).toContain('There is no gate "lnt"');
    expect(done.stderr).toContain("lint, unit");
    expect(known.exitCode).toBe(0);
  });
});

describe.concurrent("colour", () => {
  test.for<Record<string, string>>([
    {},
    { FORCE_COLOR: "1" },
    { CI: "true" },
    { NO_COLOR: "1" },
    { TERM: "xterm-256color" },
  ])("is never written into a pipe, with %j", async (env) => {
    await using project = await GauntletProject.withChecks({ bad: "exit 1" });
    await project.write({ a: "1" });

    const outputs = await Promise.all(
      [["detect", "--why"], ["list"], ["validate"], ["run"], ["status"]].map((args) =>
        project.gauntlet(args, { env }),
      ),
    );

    expect(outputs.map(({ stdout, stderr }) => stdout + stderr).join("")).not.toContain("\u001B");
  });

  test.skipIf(!existsSync(SCRIPT))("is written to a terminal, unless NO_COLOR says otherwise", async () => {
    await using project = await GauntletProject.withChecks({ test: "true" });
    const inTerminal = (env: Record<string, string>): Promise<Finished> =>
      run([SCRIPT, "-qec", `${GAUNTLET_LINE} list`, "/dev/null"], {
        cwd: project.root,
        env: { ...cleanEnv(project.home), TERM: "xterm", ...env },
      });

    const coloured = await inTerminal({});
    const plain = await inTerminal({ NO_COLOR: "1" });
    const dumb = await inTerminal({ TERM: "dumb" });

    expect(coloured.stdout).toContain("\u001B[1m");
    expect(plain.stdout + dumb.stdout).not.toContain("\u001B");
  });
});
