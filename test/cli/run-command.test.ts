import { describe, expect, test } from "vitest";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET_LINE } from "../rig/program.ts";

async function changed(checks: Readonly<Record<string, string>>): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks(checks);
  await project.write({ "a.txt": "1" });
  return project;
}

describe("the last line and the exit code of every status", () => {
  const CONFIG = ".gauntlet/config.yml";

  test.for([
    ["Passed", 0, { [CONFIG]: 'checks:\n  a: "true"\n' }, []],
    ["Passed with warnings", 0, { [CONFIG]: "checks:\n  a: { command: exit 1, warn_only: true }\n" }, []],
    ["Failed", 1, { [CONFIG]: "checks:\n  a: exit 1\n" }, []],
    ["Retry limit exceeded", 1, { [CONFIG]: "max_retries: 0\nchecks:\n  a: exit 1\n" }, []],
    ["No changes", 0, { [CONFIG]: "checks:\n  a: exit 1\n" }, ["--uncommitted"]],
    [
      "No applicable gates",
      0,
      { [CONFIG]: "checks:\n  a: exit 1\nentry_points:\n  - { path: b, checks: [a] }\n" },
      [],
    ],
    ["No config", 1, {}, []],
    ["Error", 1, { [CONFIG]: "checks: 7\n" }, []],
  ] as const)("Status: %s, exit %i", async ([title, exitCode, files, args]) => {
    await using project = await GauntletProject.create(files);
    if (title === "No changes") await project.commit("all");

    const done = await project.gauntlet(["run", ...args]);

    expect(done.stdout.endsWith(`Status: ${title}\n`)).toBe(true);
    expect(done.exitCode).toBe(exitCode);
  });

  test.each(["run", "check", "clean"])(
    "%s while a run is in progress says so, with pid and since when, and exits with 1",
    async (command) => {
      await using gate = await ControlledCommand.create();
      await using project = await changed({ slow: gate.command() });
      let pid = 0;
      const first = project.gauntlet(["run"], { onSpawn: (own) => (pid = own) });
      const running = await gate.started();

      const second = await project.gauntlet([command]);
      const json = await project.json([command]);
      running.exit(0);

      expect(second.exitCode).toBe(1);
      expect(second.stderr).toMatch(
        new RegExp(
          `^A gauntlet run is already in progress \\(pid ${pid}, since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z\\)\\.\\n$`,
        ),
      );
      expect(second.stdout).toBe(command === "clean" ? "" : "Status: Lock conflict\n");
      expect(json).toMatchObject({ command, status: "lock_conflict" });
      expect((await first).exitCode).toBe(0);
    },
  );

  test.each([["--nonsense"], ["-c"], ["-b", "HEAD", "-u"], ["-c", "HEAD", "-u"]])(
    "a command line that makes no sense (%s %s) exits with 1, never 2",
    async (...args) => {
      await using project = await changed({ ok: "true" });

      const done = await project.gauntlet(["run", ...args]);

      expect(done.exitCode).toBe(1);
      expect(done.stderr).toContain("error:");
    },
  );
});

describe("choosing gates", () => {
  const CONFIG =
    "checks:\n  lint: pwd\n  test: pwd\nentry_points:\n  - { path: web, checks: [lint, test] }\n  - { path: api, checks: [lint] }\n";

  async function ran(...args: readonly string[]): Promise<readonly string[]> {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": CONFIG,
      "web/a": "",
      "api/a": "",
    });
    const { outcomes } = (await project.json(["run", ...args])) as { outcomes: { id: string }[] };
    return outcomes.map(({ id }) => id).toSorted();
  }

  test("-g takes a name, an id, and more than one", async () => {
    expect(await ran("-g", "lint")).toEqual(["check:api:lint", "check:web:lint"]);
    expect(await ran("-g", "check:api:lint")).toEqual(["check:api:lint"]);
    expect(await ran("-g", "test", "--gate", "check:api:lint")).toEqual(["check:api:lint", "check:web:test"]);
  });

  test("an unknown gate is an error that names the known ones", async () => {
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": CONFIG, "web/a": "" });

    const done = await project.gauntlet(["run", "-g", "tset"]);

    expect(done.exitCode).toBe(1);
    expect(done.stderr).toContain('There is no gate "tset": did you mean `test`? Known gates: lint, test.');
    expect(project.has("gauntlet_logs/console.1.log")).toBe(false);
  });

  test("--commit, --uncommitted and --base decide what counts as changed", async () => {
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": CONFIG });
    await project.commit("start");
    await project.write({ "web/a": "" });
    await project.commit("web");
    await project.write({ "api/a": "" });
    const ids = async (...args: string[]) => {
      const { outcomes } = (await project.json(["run", ...args])) as { outcomes: { id: string }[] };
      return outcomes.map(({ id }) => id).toSorted();
    };

    expect(await ids("--uncommitted")).toEqual(["check:api:lint"]);
    expect(await ids("--commit", "HEAD")).toEqual(["check:web:lint", "check:web:test"]);
    expect(await ids("--base", "HEAD~1")).toEqual(["check:api:lint", "check:web:lint", "check:web:test"]);
  });
});

describe("what is printed", () => {
  test("piped: plain lines, no colour, failures at the end with the useful part of their output", async () => {
    await using project = await changed({
      ok: "echo noise",
      red: "for i in 1 2 3; do echo progress $i; done; echo 'src/a.ts(3,5): error TS2322: no.'; exit 2",
    });

    const done = await project.gauntlet(["run"], { env: { FORCE_COLOR: "1" } });

    expect(done.stdout).not.toContain("\u001b");
    expect(done.stdout).toMatch(/\[PASS\] ok \(\d+ ms\)\n/);
    expect(done.stdout).toMatch(
      /── red ──\n[^]*src\/a\.ts:3:5 error TS2322: no\.\n[^]*Full log: gauntlet_logs\/check_\._red\.1\.log\n/,
    );
    expect(done.stdout).not.toContain("noise");
  });

  test("--quiet: only failures and the status", async () => {
    await using project = await changed({ ok: "true" });
    const quiet = await project.gauntlet(["run", "-q"]);
    await project.write({ ".gauntlet/checks/red.yml": "command: echo boom; exit 1" });

    const red = await project.gauntlet(["run", "-q"]);

    expect(quiet.stdout).toBe("Status: Passed\n");
    expect(red.stdout).toMatch(
      /^\n── red ──\nboom\nFull log: \S+\n\n✗ red {2}failed: exit code 1 \(\S+\)\nStatus: Failed\n$/,
    );
  });

  test("--verbose: what changed, why gates run, why others do not", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": 'checks:\n  ok: "true"\n  ci: { command: "true", run_locally: false }\n',
      "a.txt": "",
    });

    const done = await project.gauntlet(["run", "-v"]);

    expect(done.stdout).toContain("  untracked a.txt\n");
    expect(done.stdout).toContain("  ok: 2 files changed, among them ");
    expect(done.stdout).toContain("[SKIP] ci run_locally is false\n");
  });

  test("--json: one line on stdout, progress on stderr", async () => {
    await using project = await changed({ red: "exit 1" });

    const done = await project.gauntlet(["run", "--json"]);

    expect(done.stdout.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(done.stdout)).toMatchObject({
      format: 1,
      command: "run",
      status: "failed",
      run: 1,
      attemptsLeft: 2,
      outcomes: [{ id: "check:.:red", outcome: "failed", detail: "exit code 1", blocks: true }],
    });
    expect(done.stderr).toContain("[FAIL] red");
    expect(done.exitCode).toBe(1);
  });

  test("a missing base is reported even when there is nothing to run", async () => {
    await using project = await GauntletProject.withChecks({ ok: "true" });

    const done = await project.gauntlet(["run"]);

    expect(done.stdout).toContain(
      "[WARN] Committed work was not looked at: the configured base branch (origin/main) does not exist here",
    );
    expect(done.stdout).toMatch(/Status: No changes\n$/);
  });

  test("a reader that goes away (| head) is no reason for a stack trace", async () => {
    await using project = await changed({ red: "seq 1000; exit 1" });

    const piped = await run(["sh", "-c", `${GAUNTLET_LINE} run 2>../err | head -n 1; cat ../err`], {
      cwd: project.root,
      env: cleanEnv(project.home),
    });

    expect(piped.stdout.trim().split("\n").at(-1)).not.toMatch(/^\s+at /);
    expect(piped.stdout).not.toContain("EPIPE");
  });
});

describe("a partial run does not count as a full one", () => {
  test("a gate by name", async () => {
    await using project = await changed({ lint: "true", test: "exit 1" });

    const done = await project.gauntlet(["run", "-g", "lint"]);

    expect(done.stdout).toContain("✓ Gauntlet passed — only what was asked for ran: lint.\n");
  });

  test("only checks, only reviews", async () => {
    await using project = await changed({ lint: "true" });

    const check = await project.gauntlet(["check"]);
    const review = await project.gauntlet(["review"]);

    expect(check.stdout).toContain("✓ Gauntlet passed — all checks completed successfully.\n");
    expect(review.stdout).toContain("○ Nothing to check — this project has no reviews. No gate ran.\n");
  });
});

describe("what is odd in the configuration", () => {
  test("is reported before the gates run, on one line each", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": 'cheks: {}\nchecks:\n  a: "true"\n',
    });

    const done = await project.gauntlet(["run"]);

    expect(done.stdout).toMatch(
      /^\[WARN\] \.gauntlet\/config\.yml:1:1: unknown key `cheks` is ignored → did you mean `checks`\?\n/,
    );
    expect(done.exitCode).toBe(0);
  });

  test("goes to stderr beside JSON and when quiet", async () => {
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": "checks: {}\n" });

    const json = await project.gauntlet(["run", "--json"]);
    const quiet = await project.gauntlet(["run", "--quiet"]);

    expect(JSON.parse(json.stdout)).toMatchObject({ status: "no_applicable_gates" });
    expect(json.stderr).toContain("nothing is checked");
    expect(quiet.stderr).toContain("nothing is checked");
  });
});
