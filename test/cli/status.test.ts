import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

test("before the first run it says how to start one", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });

  const status = await project.gauntlet(["status"]);

  expect(status).toMatchObject({ exitCode: 0, stdout: "No run yet. Start one with `agent-gauntlet run`.\n" });
  expect(project.has("gauntlet_logs")).toBe(false);
});

test("after runs: the last one gate by gate, the last pass, attempts left and open failures of each session", async () => {
  await using project = await GauntletProject.withChecks({
    ok: "true",
    test: "grep -q fixed a.txt || exit 1",
  });
  await project.write({ "a.txt": "fixed" });
  await project.gauntlet(["run"]);
  await project.write({ "a.txt": "broken" });
  await project.stop({ session_id: "one" });
  await project.gauntlet(["run"]);

  const status = await project.gauntlet(["status"]);

  expect(status.exitCode).toBe(0);
  expect(status.stdout.replaceAll(/\(\d+ ms\)/g, "(N ms)")).toBe(
    [
      "The files as they are now have not passed: the last verdict on these files is failed.",
      "Last stop: blocked (failed), just now, by claude-code",
      "Run 3: Failed, just now",
      "  [PASS] ok (N ms)",
      "  [FAIL] test (N ms) failed: exit code 1 Log: gauntlet_logs/check_._test.3.log",
      "  1 failed · 1 passed",
      "Last pass: run 1, just now",
      "Session one: 2 attempts left",
      "  still failing: test (since run 2)",
      "Manual runs",
      "  still failing: test (since run 3)",
      "",
    ].join("\n"),
  );
});

test("a red run says how to see only what is new, as long as nothing has ever passed", async () => {
  await using project = await GauntletProject.withChecks({ test: "grep -q fixed a.txt || exit 1" });
  await project.write({ "a.txt": "broken" });

  const first = await project.gauntlet(["run"]);
  const compared = await project.gauntlet(["run", "--only-new"]);
  const quiet = await project.gauntlet(["run", "--quiet"]);
  await project.write({ "a.txt": "fixed" });
  await project.gauntlet(["run"]);
  await project.write({ "a.txt": "broken again" });
  const later = await project.gauntlet(["run"]);

  const hint = "Try `agent-gauntlet run --only-new`";
  const shown = [first, compared, quiet, later].map(({ stdout }) => stdout.includes(hint));
  expect(shown).toEqual([true, false, false, false]);
});

test("the last run is in the ledger: without its log directory it is shown all the same", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true", red: "exit 1" });
  await project.write({ "a.txt": "" });
  await project.stop();
  rmSync(join(project.root, "gauntlet_logs"), { recursive: true });

  const status = await project.gauntlet(["status"]);
  const report = await project.gauntlet(["report"]);
  const short = await project.gauntlet(["status", "--short"]);

  expect(status.stdout).toContain("Run 1: Failed, just now\n  [PASS] ok ");
  expect(status.stdout).toMatch(/\[FAIL\] red \(\d+ ms\) failed: exit code 1\n/);
  expect(report).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Run 1: Failed, just now\n/) });
  expect(report.stdout).not.toContain("printed nothing");
  expect(short.stdout).toBe("✗ red\n");
  expect(project.has("gauntlet_logs")).toBe(false);
});

test("a session that was given up on says so", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": "max_retries: 0\nchecks:\n  red: exit 1\n",
  });
  await project.gauntlet(["run"]);

  expect((await project.gauntlet(["status"])).stdout).toContain("Manual runs: gave up\n");
  expect(await project.json(["status"])).toMatchObject({
    lastRun: { run: 1, status: "retry_limit_exceeded", outcomes: [{ id: "check:.:red", outcome: "failed" }] },
    lastPass: null,
    sessions: [{ id: "command-line", gaveUp: true, openFailures: [] }],
  });
});

test("outside a project it says so and exits with 1", async () => {
  await using project = await GauntletProject.create();

  const status = await project.gauntlet(["status"]);

  expect(status).toMatchObject({ exitCode: 1, stdout: "" });
  expect(status.stderr).toContain("agent-gauntlet init");
});

test("statusline and status --short: one line, none outside of a project", async () => {
  await using project = await GauntletProject.withChecks({ test: "exit 1" });
  await project.write({ "a.txt": "" });
  await project.stop({ session_id: "one" });

  const asked = { stdin: JSON.stringify({ session_id: "one", cwd: project.root }), cwd: project.home };
  const ours = await project.gauntlet(["statusline"], asked);
  const short = await project.gauntlet(["status", "--short"]);
  const outside = await project.gauntlet(["statusline"], { stdin: "nonsense", cwd: project.home });

  expect(ours).toMatchObject({ exitCode: 0, stdout: "✗ test (2 left)\n", stderr: "" });
  expect(short).toMatchObject({ exitCode: 0, stdout: "✗ test\n" });
  expect(outside).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
});

test("while a run goes on, the line names the gate that runs", async () => {
  await using gate = await ControlledCommand.create();
  await using project = await GauntletProject.withChecks({ slow: gate.command(), quick: "true" });
  await project.write({ "a.txt": "" });
  const running = project.gauntlet(["run"]);
  const slow = await gate.started();
  await expect.poll(() => project.read("gauntlet_logs/console.1.log")).toContain("[PASS] check:.:quick");

  const { stdout } = await project.gauntlet(["status", "--short"]);
  slow.exit(0);
  await running;

  expect(stdout).toMatch(/^… slow \d+ s\n$/);
});
