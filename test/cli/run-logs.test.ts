import { chmodSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const NODE = "node -e";

function logsOf(project: GauntletProject): readonly string[] {
  return readdirSync(join(project.root, "gauntlet_logs")).filter((name) => !name.startsWith("."));
}

async function changed(checks: Readonly<Record<string, string>>): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks(checks);
  await project.write({ "a.txt": "1" });
  return project;
}

describe("a gate's log", () => {
  test("keeps the start and the end of 10 MB, says what it dropped, and the gate still passes", async () => {
    const script =
      "for (let i = 0; i < 12; i++) process.stdout.write(String.fromCharCode(97 + i).repeat(1024 * 1024))";
    await using project = await changed({ loud: `${NODE} '${script}'` });

    const run = await project.json(["run"]);
    const log = project.read("gauntlet_logs/check_._loud.1.log");

    const [note = "", dropped] = /\n\[… (\d+) bytes dropped …\]\n/.exec(log) ?? [];
    expect(run["status"]).toBe("passed");
    expect(log.startsWith(`${"a".repeat(1024 * 1024)}b`)).toBe(true);
    expect(log.endsWith("l".repeat(1024 * 1024))).toBe(true);
    expect(log.length - note.length + Number(dropped)).toBe(12 * 1024 * 1024);
    expect(log.length).toBeGreaterThan(8.5 * 1024 * 1024);
    expect(log.length).toBeLessThanOrEqual(10 * 1024 * 1024);
  });

  test.each([
    ["invalid UTF-8", String.raw`printf '\377\376error: broken\n'; exit 1`, "error: broken"],
    ["NUL bytes", String.raw`printf 'error: a\0b\n'; exit 1`, "error: a"],
    ["colours", String.raw`printf '\033[31merror:\033[0m red\n'; exit 1`, "error: red"],
    [
      "a line without an end",
      `${NODE} 'process.stdout.write("error: long " + "x".repeat(3e6)); process.exitCode = 1'`,
      "error: long",
    ],
    ["carriage returns", String.raw`printf '10%%\r20%%\r\nerror: late\n'; exit 1`, "error: late"],
  ])("%s: the useful part is shown, clean and bounded", async (_, command, useful) => {
    await using project = await changed({ odd: command });

    const run = await project.gauntlet(["run"]);

    expect(run.exitCode).toBe(1);
    expect(run.stdout).toContain(useful);
    expect(run.stdout).toContain("Full log: gauntlet_logs/check_._odd.1.log");
    expect(run.stdout).not.toMatch(/[\0\u001b]/);
    expect(run.stdout.length).toBeLessThan(10_000);
  });

  test("holds both streams", async () => {
    await using project = await changed({ both: "echo out; echo err >&2" });

    await project.gauntlet(["run"]);

    expect(project.read("gauntlet_logs/check_._both.1.log").split("\n").toSorted()).toEqual([
      "",
      "err",
      "out",
    ]);
  });

  test("two gates whose ids make the same file name have one each", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "checks:\n  where: pwd\nentry_points:\n  - { path: a/b, checks: [where] }\n  - { path: a_b, checks: [where] }\n",
      "a/b/x.txt": "",
      "a_b/x.txt": "",
    });

    await project.gauntlet(["run"]);

    expect(project.read("gauntlet_logs/check_a_b_where.1.log")).toContain("a/b");
    expect(project.read("gauntlet_logs/check_a_b_where-2.1.log")).toContain("a_b");
  });
});

describe("the logs of a run", () => {
  test("are numbered, one more than the highest number there is", async () => {
    await using project = await changed({ ok: "true" });
    await project.gauntlet(["run"]);
    await project.write({ "gauntlet_logs/check_._old.9.log": "" });

    await project.gauntlet(["run"]);

    expect(logsOf(project).toSorted()).toEqual(
      [
        "check_._ok.1.log",
        "check_._ok.10.log",
        "check_._old.9.log",
        "console.1.log",
        "console.10.log",
      ].toSorted(),
    );
  });

  test("the console log tells the run as plain lines, whatever was shown", async () => {
    await using project = await changed({ ok: "true", red: "echo boom; exit 1" });

    const run = await project.json(["run", "--quiet"]);
    const log = project.read(String(run["consoleLog"]));

    expect(log).toMatch(/Run 1: 2 gates, 1 changed file compared to/);
    expect(log).toMatch(/\[START\] check:\.:ok\n/);
    expect(log).toMatch(/\[PASS\] check:\.:ok \(\d+ ms\)\n/);
    expect(log).toMatch(
      /\[FAIL\] check:\.:red .* failed: exit code 1 Log: gauntlet_logs\/check_\._red\.1\.log\n/,
    );
    expect(log).toMatch(/boom[^]*\nStatus: Failed\n$/);
  });

  test("can be read by their owner only", async () => {
    await using project = await changed({ ok: "true" });

    await project.gauntlet(["run"]);

    for (const name of logsOf(project))
      expect(statSync(join(project.root, "gauntlet_logs", name)).mode & 0o077, name).toBe(0);
  });

  test("those of the last 20 runs stay", async () => {
    await using project = await changed({ ok: "true" });
    for (let run = 1; run <= 25; run++) await project.write({ [`gauntlet_logs/console.${run}.log`]: "" });

    await project.gauntlet(["run"]);

    const numbers = logsOf(project).map((name) => Number(/\.(\d+)\.log$/.exec(name)?.[1]));
    expect(Math.min(...numbers)).toBe(7);
    expect(Math.max(...numbers)).toBe(26);
    expect(new Set(numbers).size).toBe(20);
  });

  test("those beyond 200 MB go, oldest first, however few they are", async () => {
    await using project = await changed({ ok: "true" });
    await project.gauntlet(["run"]);
    for (const [run, megabytes] of [
      [2, 1],
      [3, 150],
      [4, 49],
    ] as const) {
      const path = join(project.root, `gauntlet_logs/console.${run}.log`);
      writeFileSync(path, "");
      truncateSync(path, megabytes * 1024 * 1024);
      chmodSync(path, 0o600);
    }
    await project.write({ "gauntlet_logs/check_._x.2.log": "x".repeat(1024 * 1024) });

    await project.gauntlet(["run"]);

    expect(logsOf(project)).toContain("console.3.log");
    expect(logsOf(project)).not.toContain("console.1.log");
    expect(logsOf(project)).toContain("console.5.log");
  });

  test("never count as changes, although git does not ignore them", async () => {
    await using project = await changed({ ok: "true" });
    await project.gauntlet(["run"]);
    await project.commit("done");

    expect((await project.json(["run"]))["status"]).toBe("no_changes");
    expect(await project.git("status", "--porcelain")).toBe("");
  });
});

describe("the debug log", () => {
  const DEBUG = "debug_log: true\n";

  test("is off by default", async () => {
    await using project = await changed({ ok: "true" });

    await project.gauntlet(["run"]);

    expect(project.has("gauntlet_logs/.debug.log")).toBe(false);
  });

  test("tells commands, runs, gates, stops and cleaning as dated lines", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `${DEBUG}checks:\n  ok: "true"\n  red: exit 1\n`,
    });

    await project.gauntlet(["check", "-g", "ok"]);
    await project.stop();
    await project.gauntlet(["clean"]);
    const lines = project.read("gauntlet_logs/.debug.log").trim().split("\n");

    expect(lines.every((line) => /^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] [A-Z_]+ /.test(line))).toBe(true);
    expect(lines.map((line) => line.replace(/^\S+ /, "").replace(/\d+ms/, "Nms"))).toEqual([
      'COMMAND check --gate "ok"',
      'RUN_START run=1 base="nothing (no commits yet)" files_changed=1 gates=1 skipped=1',
      "GATE_RESULT check:.:ok status=passed duration=Nms blocks=false",
      "RUN_END status=passed gates_run=1 gates_failed=0",
      "COMMAND stop-hook",
      'RUN_START run=2 base="nothing (no commits yet)" files_changed=1 gates=2 skipped=0',
      expect.stringMatching(/^GATE_RESULT /),
      expect.stringMatching(/^GATE_RESULT /),
      "RUN_END status=failed gates_run=2 gates_failed=1",
      "STOP_HOOK decision=block reason=failed",
      expect.stringMatching(/^CLEAN why=asked logs=\d+$/),
    ]);
  });

  test("moves to .debug.log.1 when it is full, even at a limit smaller than a line", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": 'debug_log: { enabled: true, max_size_mb: 0.00002 }\nchecks:\n  ok: "true"\n',
    });

    const run = await project.gauntlet(["run"]);

    expect(run.exitCode).toBe(0);
    expect(project.read("gauntlet_logs/.debug.log")).toContain("RUN_END status=passed");
    expect(project.read("gauntlet_logs/.debug.log.1")).toContain("GATE_RESULT");
  });
});
