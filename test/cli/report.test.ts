import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { lastRunFile } from "../rig/state-files.ts";

const FAILING = "echo \"src/a.c:3:9: error: expected ';'\"; exit 1";

describe.concurrent("reports of a run", () => {
  test("are written where they are asked for", async () => {
    await using project = await GauntletProject.withChecks({ build: FAILING, fine: "true" });
    await project.write({ "src/a.c": "" });

    const done = await project.gauntlet([
      "run",
      "--report",
      "junit=out/j.xml,sarif=out/s.sarif,json=out/r.json,html=out/r.html,github",
    ]);

    expect(done.exitCode).toBe(1);
    expect(project.read("out/j.xml")).toContain('<failure message="expected \';\'" type="error">');
    expect(JSON.parse(project.read("out/s.sarif"))).toMatchObject({
      runs: [{ results: [{ level: "error", message: { text: "expected ';'" } }] }],
    });
    expect(JSON.parse(project.read("out/r.json"))).toMatchObject({
      command: "run",
      status: "failed",
      outcomes: [{ problems: [{ file: "src/a.c", message: "expected ';'" }] }, { problems: [] }],
    });
    expect(project.read("out/r.html")).toContain(`"message":"expected ';'"`);
    expect(done.stdout).toContain("::error file=src/a.c,line=3,col=9,title=build::expected ';'\n");
  });

  test("as HTML are one file with the problems, the lines they are in, the logs and what the agent read", async () => {
    const hostile = "src/a.c:2:1: error: \\033[31m</script><script>alert(1)</script>";
    await using project = await GauntletProject.withChecks({
      build: `printf '${hostile}\\n'; printf 'a\\342\\200\\256b\\n'; exit 1`,
    });
    await project.write({ "src/a.c": "int a;\nint b\nint c;\n" });
    await project.stop();

    const { stdout, exitCode } = await project.gauntlet(["report", "--format", "html"]);

    const [, data = ""] = /type="application\/json">(.*?)<\/script>/s.exec(stdout) ?? [];
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).not.toContain("<script>alert(1)");
    expect(JSON.parse(data)).toMatchObject({
      kind: "run",
      run: 1,
      status: "failed",
      gates: [{ name: "build", blocks: true, startedMs: expect.any(Number) }],
      files: [
        {
          file: "src/a.c",
          problems: [
            {
              line: 2,
              message: "</script><script>alert(1)</script>",
              frame: { lines: ["int a;", "int b", "int c;", ""] },
            },
          ],
        },
      ],
      attempts: [{ run: 1, decision: "block", red: ["check:.:build"] }],
    });
    expect(data).toContain(String.raw`a\\u202Eb`);
    expect(data).toContain("Gauntlet gates did not pass: build (1 of 1).");
  });

  test("show no file from outside of the project, whatever a gate prints or the record of the run says", async () => {
    await using project = await GauntletProject.withChecks({
      build: "echo '../secret.txt:1:1: error: bad'; exit 1",
    });
    await project.write({ "src/a.c": "", "../secret.txt": "do not show this\n" });
    await project.gauntlet(["run"]);
    const record = readFileSync(lastRunFile(project), "utf8");
    const forged = record.replace(/"logPath":"[^"]*"/, '"logPath":"gauntlet_logs/../../secret.txt"');
    writeFileSync(lastRunFile(project), forged);

    const { stdout } = await project.gauntlet(["report", "--format", "html"]);

    expect(stdout).toContain('"run":1');
    expect(stdout).not.toContain("do not show this");
  });

  test("go to GitHub by themselves in Actions", async () => {
    await using project = await GauntletProject.withChecks({ build: FAILING });
    await project.write({ "src/a.c": "" });
    const summary = join(project.root, "summary.md");

    const done = await project.gauntlet(["run"], {
      env: { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary },
    });

    expect(done.stdout).toContain("::error file=src/a.c");
    expect(readFileSync(summary, "utf8")).toContain("- `src/a.c:3:9 error: expected ';'`");
  });

  test("leave stdout to the JSON", async () => {
    await using project = await GauntletProject.withChecks({ build: FAILING });
    await project.write({ "src/a.c": "" });

    const done = await project.gauntlet(["run", "--json", "--report", "github"]);

    expect(JSON.parse(done.stdout)).toMatchObject({ status: "failed" });
    expect(done.stderr).toContain("::error file=src/a.c");
  });

  test("of an unknown kind are refused with the known ones", async () => {
    await using project = await GauntletProject.withChecks({ build: "true" });

    const done = await project.gauntlet(["run", "--report", "pdf=x"]);

    expect(done.exitCode).toBe(1);
    expect(done.stderr).toContain("junit=PATH, sarif=PATH, json=PATH or github");
  });

  test("show the last run again without running it", async () => {
    await using project = await GauntletProject.withChecks({ build: `echo x >> runs; ${FAILING}` });
    await project.write({ "src/a.c": "" });
    const before = await project.gauntlet(["report"]);
    await project.gauntlet(["run"]);

    const text = await project.gauntlet(["report"]);
    const junit = await project.gauntlet(["report", "--format", "junit"]);

    expect(before).toMatchObject({
      exitCode: 1,
      stderr: "No run yet. Start one with `agent-gauntlet run`.\n",
    });
    expect(text.stdout).toMatch(/^Run 1: Failed, just now\n\[FAIL\] build /);
    expect(text.stdout).toContain("✗ build  src/a.c:3  expected ';'");
    expect(junit.stdout).toContain('<testsuite name="check:.:build" tests="1" failures="1"');
    expect(project.read("runs")).toBe("x\n");
  });

  test("of an earlier run come from the ledger and its logs", async () => {
    await using project = await GauntletProject.withChecks({ build: "cat log; exit 1", fine: "true" });
    for (const text of ["first", "second"]) {
      await project.write({ log: `src/a.c:1:2: error: ${text}\n` });
      await project.gauntlet(["run"]);
    }

    const earlier = await project.gauntlet(["report", "--run", "1"]);
    const sarif = await project.gauntlet(["report", "--run", "1", "--format", "sarif"]);
    const none = await project.gauntlet(["report", "--run", "7"]);

    expect(earlier.stdout).toMatch(/^Run 1: Failed, just now\n\[FAIL\] build /);
    expect(earlier.stdout).toContain("✗ build  src/a.c:1  first");
    expect(earlier.stdout).not.toContain("second");
    expect(JSON.parse(sarif.stdout)).toMatchObject({ runs: [{ results: [{ message: { text: "first" } }] }] });
    expect(none).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: "No run 7 is in the ledger of this work tree.\n",
    });
  });
});

describe.concurrent("what a check says", () => {
  const junit =
    '<testsuite><testcase name="adds" file="a.test.js"><failure message="3 is not 4"/></testcase></testsuite>';

  test("is read from the report it writes", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  test: { command: "cp made.xml out.xml; echo noise; exit 1", report: out.xml }\n`,
      "made.xml": junit,
    });

    const done = await project.gauntlet(["run"]);

    expect(done.stdout).toContain("a.test.js failed: adds: 3 is not 4");
  });

  test("is not read from a report of an earlier run", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  test: { command: "touch -d 2020-01-01 out.xml; echo 'src/a.c:1:2: error: new'; exit 1", report: out.xml }\n`,
      "out.xml": junit,
    });

    const done = await project.gauntlet(["run"]);

    expect(done.stdout).toContain("✗ test  src/a.c:1  new");
    expect(done.stdout).not.toContain("3 is not 4");
  });

  test("is shown as it is with `parser: none`", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  test: { command: ${JSON.stringify(FAILING)}, parser: none }\n`,
    });

    const done = await project.gauntlet(["run"]);

    expect(done.stdout).toContain("src/a.c:3:9: error: expected ';'");
  });
});

test("the second attempt says what is gone, still there and new, to the agent and in status", async () => {
  await using project = await GauntletProject.withChecks({ build: "cat log; exit 1" });
  const stop = async (log: string) => {
    await project.write({ log });
    const event = { ...stopEvent(project.root), session_id: "s2" };
    return project.gauntlet(["stop-hook"], { stdin: JSON.stringify(event) });
  };
  await stop("src/a.c:1:2: error: one\nsrc/a.c:2:2: error: two\n");

  const second = await stop("src/a.c:9:2: error: two\nsrc/b.c:1:1: error: three\n");
  const status = await project.gauntlet(["status"]);

  const since = "Since the last attempt: 1 gone, 1 still there, 1 new.";
  expect(second.stdout).toContain(since);
  expect(status.stdout).toContain(since);
});

test("secrets show up nowhere: not in logs, feedback, reports or state", async () => {
  const secret = "pläntéd-sécret-4711";
  const token = `ghp_${"a1B2".repeat(9)}`;
  await using project = await GauntletProject.withChecks({
    leak: `printf '%s' "$API_TOKEN" | head -c 5; sleep 0.1; printf '%s\\n' "$API_TOKEN" | tail -c +6; echo "src/a.c:1:2: error: $API_TOKEN ${token}"; exit 1`,
  });
  await project.write({ "src/a.c": "" });
  const env = { API_TOKEN: secret };

  const ran = await project.gauntlet(
    ["run", "--report", "junit=out/j.xml,sarif=out/s.sarif,json=out/r.json,github"],
    { env },
  );
  const stopped = await project.gauntlet(["stop-hook"], {
    env,
    stdin: JSON.stringify(stopEvent(project.root)),
  });

  const written = filesBelow(join(project.root, "gauntlet_logs")).concat(
    filesBelow(join(project.root, "out")),
  );
  const said = written
    .map((path) => readFileSync(path, "utf8"))
    .concat(ran.stdout, ran.stderr, stopped.stdout);
  expect(said.join("\n")).toContain("src/a.c:1:2: error: *** ***");
  expect(stopped.stdout).toContain("src/a.c:1:2 error: *** ***");
  for (const text of said) expect(text).not.toMatch(/sécret-4711|ghp_a1B2/);
});

function stopEvent(cwd: string): object {
  return {
    hook_event_name: "Stop",
    session_id: "s1",
    cwd,
    stop_hook_active: false,
    transcript_path: "/tmp/t",
  };
}

function filesBelow(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}
