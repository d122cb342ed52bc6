import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { lastRunFile, passFile, sessionFile } from "../rig/state-files.ts";

const UNLESS_FIXED = "grep -q fixed a.txt || exit 1";
const COUNTED = "echo x >> ../count";

async function changed(checks: Readonly<Record<string, string>>): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks(checks);
  await project.write({ "a.txt": "1" });
  return project;
}

function runsOf(project: GauntletProject): number {
  const path = join(project.root, "../count");
  return existsSync(path) ? readFileSync(path, "utf8").length / 2 : 0;
}

function parsed(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

describe("the pass record", () => {
  test("a run of everything lets the next stop of the same tree go without running a gate", async () => {
    await using project = await changed({ ok: COUNTED });

    await project.gauntlet(["run"]);
    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "approve", status: "passed" });
    expect(answer.message).toContain("nothing changed since run 1");
    expect(runsOf(project)).toBe(1);
  });

  test.each([
    [["run", "-g", "ok"]],
    [["check"]],
    [["run", "--commit", "HEAD"]],
    [["run", "--uncommitted"]],
    [["run", "--base", "HEAD"]],
  ])("%j is not a run of everything: the next stop runs the gates", async (args) => {
    await using project = await changed({ ok: COUNTED });

    const run = await project.gauntlet(args);
    const before = runsOf(project);
    await project.stop();

    expect(run.exitCode).toBe(0);
    expect(await project.json(["status"])).toMatchObject({ lastPass: { run: before + 1 } });
    expect(runsOf(project)).toBe(before + 1);
  });

  test("nothing in the project forges it: not a record and an index in the log directory", async () => {
    await using project = await changed({ words: "! grep -q BAD a.txt" });
    await project.gauntlet(["run"]);
    const pass = readFileSync(passFile(project), "utf8");
    const { state } = JSON.parse(pass) as { state: { indexName: string } };
    await project.write({ "a.txt": "BAD", "gauntlet_logs/.state/pass.json": pass });
    const index = join(project.root, `gauntlet_logs/.state/pass-${state.indexName}.index`);
    await run(["git", "add", "--all"], {
      cwd: project.root,
      env: { ...cleanEnv(project.home), GIT_INDEX_FILE: index },
    });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
  });

  test("another project does not have it, though everything in it is the same", async () => {
    await using project = await changed({ ok: COUNTED });
    await project.gauntlet(["run"]);
    await run(["cp", "-a", project.root, `${project.root}2`], { cwd: "/", env: cleanEnv("/") });

    const { answer } = await project.at("../project2").stop({ cwd: `${project.root}2` });

    expect(answer.message).not.toContain("nothing changed since");
    expect(runsOf(project)).toBe(2);
  });

  test("outlives the log directory, and does not close failures that came after it", async () => {
    await using project = await changed({ words: "! grep -q BAD a.txt" });
    for (let runs = 0; runs < 3; runs++) await project.gauntlet(["run"]);
    await rm(join(project.root, "gauntlet_logs"), { recursive: true });
    await project.write({ "a.txt": "BAD" });

    const first = await project.stop();
    await project.commit("hide it");
    const second = await project.stop();

    expect([first.answer.status, second.answer.status]).toEqual(["failed", "failed"]);
  });

  test("that cannot be kept is reported once; the stop is allowed, and the next one is checked again", async () => {
    await using project = await changed({ ok: COUNTED });
    const env = { XDG_STATE_HOME: "/dev/null/nowhere" };

    const first = await project.stop({}, { env });
    const second = await project.stop({}, { env });

    expect([first.answer.status, second.answer.status]).toEqual(["passed", "passed"]);
    expect(first.answer.systemMessage).toContain("This pass cannot be kept");
    expect(second.answer.systemMessage).toBeUndefined();
    expect(runsOf(project)).toBe(2);
  });

  test("a warning is replayed as it was", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  soft: { command: "${COUNTED}; exit 1", warn_only: true }\n`,
    });

    await project.gauntlet(["run"]);

    expect((await project.stop()).answer.status).toBe("passed_with_warnings");
    expect(runsOf(project)).toBe(1);
  });

  test.each([
    ["a file", (project: GauntletProject) => project.write({ "b.txt": "2" })],
    [
      "the gates",
      (project: GauntletProject) => project.write({ ".gauntlet/checks/more.yml": "command: 'true'" }),
    ],
    [
      "the base",
      async (project: GauntletProject) => void (await project.git("branch", "--force", "base", "HEAD~1")),
    ],
  ])("another %s: the gates run again", async (_, change) => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `base_branch: base\nchecks:\n  ok: ${COUNTED}\n`,
    });
    await project.commit("one");
    await project.commit("two");
    await project.git("branch", "base");
    await project.write({ "a.txt": "1" });
    await project.gauntlet(["run"]);

    await change(project);
    await project.stop();

    expect(runsOf(project)).toBe(2);
  });

  test("a failed or broken run leaves none", async () => {
    await using project = await changed({ red: "exit 1" });

    await project.gauntlet(["run"]);

    expect(await project.json(["status"])).toMatchObject({ lastRun: { status: "failed" }, lastPass: null });
  });

  test("a pass of everything closes the failures of every session", async () => {
    await using project = await changed({ test: UNLESS_FIXED });
    await project.stop();
    const before = await project.json(["status"]);
    await project.write({ "a.txt": "fixed" });

    await project.gauntlet(["run"]);

    expect(before).toMatchObject({ sessions: [{ id: "session-1", openFailures: ["check:.:test"] }] });
    expect(await project.json(["status"])).toMatchObject({ sessions: [] });
  });
});

describe("the budget of `run`", () => {
  test("it counts, never refuses to run, and the message names what fails each time", async () => {
    await using project = await changed({ red: `${COUNTED}; exit 1` });
    const runs: Record<string, unknown>[] = [];

    for (let run = 0; run < 6; run++) runs.push(await project.json(["run"]));

    expect(new Set(runs.map(({ message }) => message))).toEqual(
      new Set(["✗ Gauntlet failed — red failed: exit code 1."]),
    );
    expect(runs.map(({ status }) => status)).toEqual([
      "failed",
      "failed",
      "failed",
      "retry_limit_exceeded",
      "retry_limit_exceeded",
      "retry_limit_exceeded",
    ]);
    expect(runsOf(project)).toBe(6);
  });

  test("another tree after giving up starts a new one", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "max_retries: 1\nchecks:\n  red: exit 1\n",
    });
    const first = [await project.json(["run"]), await project.json(["run"])];

    await project.write({ "b.txt": "" });

    expect(first.map(({ status }) => status)).toEqual(["failed", "retry_limit_exceeded"]);
    expect(await project.json(["run"])).toMatchObject({ status: "failed", attemptsLeft: 0 });
  });
});

describe("state that cannot be trusted counts as absent, with a warning", () => {
  const YEAR = 365 * 24 * 3600 * 1000;
  const BROKEN: Readonly<Record<string, (text: string) => string>> = {
    "cut off": (text) => text.slice(0, text.length / 2),
    "of a newer version": (text) => JSON.stringify({ ...parsed(text), version: 99 }),
    "dated in the future": (text) => JSON.stringify({ ...parsed(text), writtenAt: Date.now() + YEAR }),
  };

  test.each(Object.entries(BROKEN))(
    "a pass %s: the stop is checked, and the user is notified",
    async (_, breakIt) => {
      await using project = await changed({ ok: COUNTED });
      await project.gauntlet(["run"]);
      const path = passFile(project);
      writeFileSync(path, breakIt(readFileSync(path, "utf8")));

      const status = await project.gauntlet(["status"]);
      const { answer } = await project.stop();

      expect(status).toMatchObject({ exitCode: 0 });
      expect(status.stderr).toContain("Ignored the state in");
      expect(answer).toMatchObject({ decision: "approve", status: "passed" });
      expect(answer.systemMessage).toContain("Ignored the state in");
      expect(runsOf(project)).toBe(2);
      expect((await project.stop()).answer.systemMessage).toBeUndefined();
    },
  );

  test.each([
    ["garbage", "garbage"],
    ["a negative count", '{"version":2,"writtenAt":1,"state":{"shown":[],"retries":{"/p":{"attempts":-1}}}}'],
  ])("a session that is %s: a new budget, reported by `run` even when it is quiet", async (_, content) => {
    await using project = await changed({ red: "exit 1" });
    await project.gauntlet(["run"]);
    const [name = ""] = readdirSync(dirname(sessionFile(project))).filter((one) =>
      one.includes("command-line"),
    );
    writeFileSync(join(dirname(sessionFile(project)), name), content);

    const run = await project.gauntlet(["run", "--quiet"]);

    expect(run.stderr).toContain("Ignored the state in");
    expect(run.stdout).toMatch(/Status: Failed\n$/);
    expect(await project.json(["status"])).toMatchObject({ sessions: [{ attempts: 1 }] });
  });

  test("a last run in the future does not throttle: the interval counts from what really was", async () => {
    await using project = await changed({ ok: COUNTED });
    await project.gauntlet(["run"]);
    await project.write({ "b.txt": "" });
    const path = lastRunFile(project);
    const env = { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "10" };

    const soon = await project.stop({}, { env });
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(/"completedAt":\d+/, `"completedAt":${Date.now() + YEAR}`),
    );
    const future = await project.stop({}, { env });

    expect(soon.answer.status).toBe("interval_not_elapsed");
    expect(future.answer.status).toBe("passed");
    expect(runsOf(project)).toBe(2);
  });

  test("the interval is the hook's alone: `run` never waits", async () => {
    await using project = await changed({ ok: COUNTED });
    const env = { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "10" };

    await project.gauntlet(["run"], { env });
    await project.gauntlet(["run"], { env });

    expect(runsOf(project)).toBe(2);
  });
});

describe("auto-clean", () => {
  test("on another branch: logs go to previous/, this session's open failures stay", async () => {
    await using project = await changed({ test: UNLESS_FIXED });
    await project.stop({ session_id: "mine" });
    await project.stop({ session_id: "other" });
    await project.git("switch", "--quiet", "--create", "elsewhere");

    const { answer } = await project.stop({ session_id: "mine" });

    expect(answer.status).toBe("failed");
    expect(readdirSync(join(project.root, "gauntlet_logs/previous")).toSorted()).toContain("console.1.log");
    expect(readdirSync(join(project.root, "gauntlet_logs"))).toContain("console.3.log");
    expect(await project.json(["status"])).toMatchObject({ sessions: [{ id: "mine", attempts: 2 }] });
  });

  test("another branch without the change is no way around a gate that failed", async () => {
    await using project = await changed({ test: UNLESS_FIXED });
    await project.stop();
    await project.git("switch", "--quiet", "--create", "elsewhere");
    await project.git("clean", "--quiet", "--force", "a.txt");

    expect((await project.stop()).answer).toMatchObject({ decision: "block", status: "failed" });
  });

  test("when the checked work has become part of the base", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": 'base_branch: base\nchecks:\n  ok: "true"\n',
    });
    await project.commit("start");
    await project.git("branch", "base");
    await project.write({ "a.txt": "1" });
    await project.commit("work");
    await project.gauntlet(["run"]);
    await project.git("branch", "--force", "base", "HEAD");
    await project.write({ "b.txt": "2" });
    await project.commit("next");

    await project.gauntlet(["run"]);

    expect(project.has("gauntlet_logs/previous/console.1.log")).toBe(true);
    expect(project.has("gauntlet_logs/console.2.log")).toBe(true);
  });

  test("a second look at a branch without changes does not throw the archived logs away", async () => {
    await using project = await changed({ ok: "true" });
    await project.gauntlet(["run", "-g", "ok"]); // no pass to compare with
    await project.git("switch", "--quiet", "--create", "elsewhere");
    await project.git("clean", "--quiet", "--force", "a.txt");

    const looks = [await project.json(["run"]), await project.json(["run"])];

    expect(looks.map(({ status }) => status)).toEqual(["no_changes", "no_changes"]);
    expect(project.has("gauntlet_logs/previous/console.1.log")).toBe(true);
  });

  test.each([
    ["a run of one commit", (project: GauntletProject) => project.gauntlet(["run", "--commit", "HEAD"])],
    [
      "a detached HEAD, as in a rebase",
      (project: GauntletProject) => project.git("switch", "--quiet", "--detach"),
    ],
  ])("not for %s", async (_, act) => {
    await using project = await changed({ ok: "true" });
    await project.gauntlet(["run"]);

    await act(project);
    await project.gauntlet(["run"]);

    expect(project.has("gauntlet_logs/previous")).toBe(false);
    expect(project.has("gauntlet_logs/console.1.log")).toBe(true);
  });
});
