import { describe, expect, test } from "vitest";
import { isAlive } from "../rig/processes.ts";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { kill } from "../rig/processes.ts";

interface Told {
  readonly status: string;
  readonly message: string;
  readonly outcomes: readonly {
    readonly name: string;
    readonly outcome: string;
    readonly detail: string | null;
    readonly blocks: boolean;
  }[];
}

/** A project with one changed file, so that every gate applies. */
async function project(config: string): Promise<GauntletProject> {
  return GauntletProject.create({ ".gauntlet/config.yml": config, "a.txt": "1" });
}

async function told(config: string): Promise<Told> {
  await using here = await project(config);
  return (await here.json(["run"])) as unknown as Told; // the shape is held by the schema tests
}

describe("what happened to a gate, and what it means", () => {
  test.for([
    ["exit 0", "true", "passed", null, "passed"],
    ["exit 1", "exit 1", "failed", "exit code 1", "failed"],
    ["exit 126: found, but not executable", "./a.txt", "failed", "exit code 126 (not executable)", "failed"],
    [
      "exit 127: not found",
      "no-such-command-anywhere",
      "failed",
      "exit code 127 (command not found)",
      "failed",
    ],
    ["exit 255", "exit 255", "failed", "exit code 255", "failed"],
    ["killed by a signal from elsewhere", "kill -SEGV $$", "failed", "killed by SIGSEGV", "failed"],
    [
      "a signal a shell reports as its exit code",
      "sh -c 'kill -9 $$'; exit $?",
      "failed",
      "exit code 137 (killed by SIGKILL)",
      "failed",
    ],
  ] as const)("%s", async ([, command, outcome, detail, status]) => {
    const run = await told(`checks:\n  gate: ${JSON.stringify(command)}\n`);

    expect(run.outcomes).toMatchObject([{ outcome, detail, blocks: status === "failed" }]);
    expect(run.status).toBe(status);
  });

  test("over its own timeout: blocks, and the whole tree is gone", async () => {
    await using gate = await ControlledCommand.create();
    await using here = await project(
      `checks:\n  slow: { command: ${JSON.stringify(`${gate.command()} & wait`)}, timeout: 1 }\n`,
    );

    const run = await here.json(["run"]);
    const left = await gate.started();

    expect(run).toMatchObject({
      status: "failed",
      outcomes: [{ outcome: "timed-out", detail: "after 1 s", blocks: true }],
    });
    expect(isAlive(left.pid)).toBe(false);
  });

  test.each([
    [
      "its working directory is missing",
      "{ command: 'true', working_directory: nowhere }",
      "nowhere does not exist",
    ],
    ["its shell is missing", "{ command: 'true', shell: no-such-shell }", "no-such-shell"],
    ["its shell is a directory", "{ command: 'true', shell: /etc }", "EACCES"],
    ["its command line is too long", `{ command: "true ${"x".repeat(140_000)}" }`, "E2BIG"],
  ])("could not start because %s: no block, no pass, an error that says why", async (_, gate, why) => {
    await using here = await project(`checks:\n  gate: ${gate}\n`);

    const run = await here.gauntlet(["run"]);
    const status = await here.json(["status"]);

    expect(run.exitCode).toBe(1);
    expect(run.stdout).toMatch(/\n\n1 could not run · .* · Status: Error\n$/);
    expect(run.stderr).toContain(why);
    expect(status).toMatchObject({ lastPass: null, sessions: [] });
  });

  test("another gate that failed decides over one that could not start", async () => {
    const run = await told(
      "checks:\n  red: exit 1\n  gone: { command: 'true', working_directory: nowhere }\n",
    );

    expect(run.status).toBe("failed");
    expect(run.outcomes.map(({ outcome }) => outcome)).toEqual(["failed", "errored"]);
  });

  test.each([
    ["exits with 1", "exit 1", 240],
    ["runs over its time", "exec sleep 60", 1],
  ])("a warn_only gate that %s is a warning", async (_, command, timeout) => {
    const run = await told(
      `checks:\n  soft: { command: ${command}, warn_only: true, timeout: ${timeout} }\n`,
    );

    expect(run.status).toBe("passed_with_warnings");
    expect(run.outcomes).toMatchObject([{ blocks: false }]);
    expect(run.message).toContain("soft");
  });

  test.each([
    ["run", "SIGINT", 130],
    ["check", "SIGTERM", 143],
    ["run", "SIGHUP", 129],
  ] as const)(
    "%s ended by %s: interrupted, exit %i, nothing left running, no lock, no attempt spent",
    async (command, signal, exitCode) => {
      await using gate = await ControlledCommand.create();
      await using here = await project(`checks:\n  slow: ${JSON.stringify(gate.command())}\n`);
      let pid = 0;
      const running = here.gauntlet([command], { onSpawn: (own) => (pid = own) });
      const started = await gate.started();

      kill(pid, signal);
      const run = await running;

      expect(run).toMatchObject({ exitCode, signal: null });
      expect(run.stdout).toMatch(/\nThe run was interrupted: [^]* · Status: Interrupted\n$/);
      expect(isAlive(started.pid)).toBe(false);
      expect(here.has("gauntlet_logs/.gauntlet-run.lock")).toBe(false);
      expect(await here.json(["status"])).toMatchObject({ lastRun: { status: "error" }, sessions: [] });
      expect((await here.gauntlet(["status"])).stdout).toMatch(/^Run 1: Interrupted, /m);
    },
  );

  test("a gate that failed before the interruption is shown, and costs no attempt", async () => {
    await using gate = await ControlledCommand.create();
    await using here = await project(
      `checks:\n  red: ${JSON.stringify(gate.command("red"))}\n  slow: ${JSON.stringify(gate.command("slow"))}\n`,
    );
    let pid = 0;
    const running = here.gauntlet(["run"], { onSpawn: (own) => (pid = own) });
    const both = [await gate.started(), await gate.started()];
    const red = both.find(({ name }) => name === "red");
    red?.exit(3);
    await expect.poll(() => here.read("gauntlet_logs/console.1.log")).toContain("[FAIL] check:.:red");

    kill(pid, "SIGTERM");

    const run = await running;

    expect(run.exitCode).toBe(143);
    expect(run.stdout).toMatch(/red.*exit code 3[^]* · Status: Interrupted\n$/);
    expect(await here.json(["status"])).toMatchObject({ sessions: [] });
  });
});

describe("what a check gets", () => {
  test("stdin is closed: a command that reads it ends", async () => {
    expect((await told("checks:\n  reads: cat\n")).status).toBe("passed");
  });

  test("the environment: inherited, then BASE_BRANCH, then env, then the mark of a running hook", async () => {
    await using here = await project(
      "base_branch: main\nchecks:\n  env: { command: 'echo \"$OUTSIDE|$INSIDE|$BASE_BRANCH|${BASE_BRANCH}|$GAUNTLET_STOP_HOOK_ACTIVE\"', env: { INSIDE: 2 } }\n",
    );
    await here.commit("start");
    await here.write({ "a.txt": "2" });

    await here.gauntlet(["run"], { env: { OUTSIDE: "one" } });

    expect(here.read("gauntlet_logs/check_._env.1.log")).toBe("one|2|main|main|1\n");
  });

  test("env wins over what is inherited, but cannot take the mark away", async () => {
    await using here = await project(
      'checks:\n  env: { command: \'echo "$A|$GAUNTLET_STOP_HOOK_ACTIVE"\', env: { A: own, GAUNTLET_STOP_HOOK_ACTIVE: "" } }\n',
    );

    await here.gauntlet(["run"], { env: { A: "inherited" } });

    expect(here.read("gauntlet_logs/check_._env.1.log")).toBe("own|1\n");
  });

  test("a branch name is never read as code", async () => {
    await using here = await project('checks:\n  base: echo "${BASE_BRANCH}"\n');
    await here.commit("start");
    await here.git("branch", "x;touch${IFS}owned");
    await here.write({ "a.txt": "2" });

    await here.gauntlet(["run", "--base", "x;touch${IFS}owned"]);

    expect(here.read("gauntlet_logs/check_._base.1.log")).toBe("x;touch${IFS}owned\n");
    expect(here.has("owned")).toBe(false);
  });

  test("another shell", async () => {
    await using here = await project(
      'checks:\n  sh: { command: "[[ a == a* ]] && echo $BASH", shell: bash }\n',
    );

    const run = await here.json(["run"]);

    expect(run["status"]).toBe("passed");
    expect(here.read("gauntlet_logs/check_._sh.1.log")).toContain("bash");
  });

  test("the working directory: its own, the entry point's, the file's, the root for a glob", async () => {
    await using here = await GauntletProject.create({
      ".gauntlet/config.yml":
        "checks:\n  own: { command: pwd, working_directory: c }\n  where: pwd\n" +
        "entry_points:\n" +
        "  - { path: a, checks: [own, where] }\n  - { path: packages/*, checks: [where] }\n" +
        '  - { path: d/file.txt, checks: [where] }\n  - { path: "**/*.md", checks: [where] }\n',
      "a/x.txt": "",
      "c/x.txt": "",
      "packages/one/x.txt": "",
      "packages/two/x.txt": "",
      "d/file.txt": "",
      "deep/down/readme.md": "",
    });

    const run = (await here.json(["run"])) as unknown as {
      outcomes: { id: string; logPath: string; workingDirectory: string }[];
    };
    const places = run.outcomes.map(({ id, logPath }) => [
      id,
      here.read(logPath).trim().slice(here.root.length),
    ]);

    expect(Object.fromEntries(places)).toEqual({
      "check:a:own": "/c",
      "check:a:where": "/a",
      "check:packages/one:where": "/packages/one",
      "check:packages/two:where": "/packages/two",
      "check:d/file.txt:where": "/d",
      "check:**/*.md:where": "",
    });
  });

  test("a background child that holds the output cannot hold us, and does not survive", async () => {
    await using gate = await ControlledCommand.create();
    await using here = await project(
      `checks:\n  daemon: ${JSON.stringify(`${gate.command()} & echo done`)}\n`,
    );
    const running = here.json(["run"]);

    const run = await running;

    expect(run["status"]).toBe("passed");
    expect(gate.waiting === 0 || !isAlive((await gate.started()).pid)).toBe(true);
  });
});
