import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isAlive } from "../rig/processes.ts";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { type Answer, GauntletProject } from "../rig/gauntlet-project.ts";
import { withGrowingLimit } from "../rig/growing-limit.ts";
import { kill } from "../rig/processes.ts";

const UNLESS_FIXED = "grep -q fixed a.txt || { echo a.txt:1:1: error: broken; exit 1; }";
const ENFORCE = `checks:\n  test: "${UNLESS_FIXED}"\nstop_hook:\n  when_active: enforce\n`;

describe("continued stops", () => {
  test("by default the stop after a block is allowed unverified, and the user is notified once", async () => {
    await using project = await GauntletProject.withChecks({ test: UNLESS_FIXED }, { "a.txt": "fixed" });
    await project.write({ "a.txt": "broken" });

    const first = (await project.stop()).answer;
    const second = (await project.stop({ stop_hook_active: true })).answer;
    const third = (await project.stop({ stop_hook_active: true })).answer;

    expect(first.decision).toBe("block");
    expect(second).toMatchObject({ decision: "approve", status: "stop_hook_active" });
    expect(second.systemMessage).toContain("when_active: enforce");
    expect(third).toMatchObject({ decision: "approve", status: "stop_hook_active" });
    expect(third.systemMessage).toBeUndefined();
  });

  test("another session's block tells this session nothing", async () => {
    await using project = await GauntletProject.withChecks({ test: UNLESS_FIXED }, { "a.txt": "fixed" });
    await project.write({ "a.txt": "broken" });
    await project.stop({ session_id: "one" });

    const { answer } = await project.stop({ session_id: "two", stop_hook_active: true });

    expect(answer.systemMessage).toBeUndefined();
  });

  test("when_active: enforce keeps checking until the fix, then allows", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": ENFORCE,
      "a.txt": "broken",
    });

    const first = await project.stop();
    const second = await project.stop({ stop_hook_active: true });
    await project.write({ "a.txt": "fixed" });
    const third = await project.stop({ stop_hook_active: true });

    expect([first, second, third].map(({ answer }) => answer.status)).toEqual(["failed", "failed", "passed"]);
  });

  test("when_active: enforce checks the stop after another hook's block, too", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": ENFORCE,
      "a.txt": "fixed",
    });

    const first = await project.stop();
    const same = await project.stop({ stop_hook_active: true });
    await project.write({ "a.txt": "broken" });
    const broken = await project.stop({ stop_hook_active: true });

    expect([first, same, broken].map(({ answer }) => answer.status)).toEqual(["passed", "passed", "failed"]);
  });

  test("when_active: enforce gives up below the host's cap, however many retries are configured", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `${ENFORCE}max_retries: 50\n`,
      "a.txt": "broken",
    });
    const statuses: string[] = [];

    for (let stop = 0; stop < 9; stop++) {
      await project.write({ "b.txt": String(stop) });
      statuses.push((await project.stop({ stop_hook_active: stop > 0 })).answer.status);
    }

    expect(statuses).toEqual([
      ...Array.from({ length: 7 }, () => "failed"),
      "retry_limit_exceeded",
      "stop_hook_active",
    ]);
  });

  test("the host's cap may be moved by its user", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": ENFORCE,
      "a.txt": "broken",
    });
    const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "2" };

    await project.stop({}, { env });

    expect((await project.stop({ stop_hook_active: true }, { env })).answer.status).toBe(
      "retry_limit_exceeded",
    );
  });

  test("a session file that cannot be trusted counts as absent", async () => {
    await using project = await GauntletProject.withChecks({ test: UNLESS_FIXED }, { "a.txt": "fixed" });
    await project.write({ "a.txt": "broken" });
    await project.stop();
    const sessions = join(project.home, ".local/state/agent-gauntlet/sessions");
    for (const name of readdirSync(sessions))
      writeFileSync(join(sessions, name), '{"version":1,"whenActive":"enfo');

    const { answer } = await project.stop({ stop_hook_active: true });

    expect(answer).toMatchObject({ decision: "approve", status: "stop_hook_active" });
  });
});

describe("retry budget", () => {
  test("after giving up the same tree is not run again; a changed tree gets a new budget", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  test: "echo ran >> ../runs; ${UNLESS_FIXED}"\nmax_retries: 1\n`,
      "a.txt": "broken",
    });
    const stop = async () => (await project.stop()).answer.status;

    const before = [await stop(), await stop(), await stop()];
    const runsBefore = readFileSync(join(project.root, "../runs"), "utf8").length;
    await project.write({ "a.txt": "broken differently" });
    const after = await stop();

    expect(before).toEqual(["failed", "retry_limit_exceeded", "retry_limit_exceeded"]);
    expect(runsBefore).toBe("ran\n".length * 2);
    expect(after).toBe("failed");
  });

  test("going back to the files that passed closes the failures, and the next one has the whole budget", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  test: "${UNLESS_FIXED}"\nmax_retries: 1\n`,
      "a.txt": "fixed",
    });
    const stopWith = async (text: string) => {
      await project.write({ "a.txt": text });
      return (await project.stop()).answer;
    };

    const answers = [await stopWith("fixed"), await stopWith("broken"), await stopWith("fixed")];
    const { stdout } = await project.gauntlet(["status"]);
    const next = await stopWith("broken differently");

    expect(answers.map(({ status }) => status)).toEqual(["passed", "failed", "passed"]);
    expect(answers[2]?.message).toContain("nothing changed since run 1");
    expect(stdout).not.toContain("still failing");
    expect(next.status).toBe("failed");
  });

  test("a new prompt gets a new budget", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  test: "${UNLESS_FIXED}"\nmax_retries: 1\n`,
      "a.txt": "broken",
    });
    const stop = async (prompt_id: string) => (await project.stop({ prompt_id })).answer.status;

    expect([await stop("p1"), await stop("p1"), await stop("p2")]).toEqual([
      "failed",
      "retry_limit_exceeded",
      "failed",
    ]);
  });

  test("sessions have budgets of their own, and so has the command line", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  test: "${UNLESS_FIXED}"\nmax_retries: 1\n`,
      "a.txt": "broken",
    });

    const one = (await project.stop({ session_id: "one" })).answer.status;
    const cli = (await project.json(["run"]))["status"];
    const two = (await project.stop({ session_id: "two" })).answer.status;

    expect([one, cli, two]).toEqual(["failed", "failed", "failed"]);
  });

  test("clean gives everything back", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  test: "${UNLESS_FIXED}"\nmax_retries: 1\n`,
      "a.txt": "broken",
    });
    await project.stop();
    await project.gauntlet(["clean"]);
    const onceMore = (await project.stop()).answer.status;
    const givenUp = (await project.stop()).answer.status;
    await project.gauntlet(["clean"]);
    const afterAll = (await project.stop()).answer.status;

    expect([onceMore, givenUp, afterAll]).toEqual(["failed", "retry_limit_exceeded", "failed"]);
  });

  test("removing the log directory between stops gives no new budget", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  test: "${UNLESS_FIXED}"\nmax_retries: 2\n`,
      "a.txt": "broken",
    });
    const statuses: string[] = [];

    for (let stop = 0; stop < 3; stop++) {
      statuses.push((await project.stop()).answer.status);
      await project.git("clean", "-fdxq", "gauntlet_logs");
    }

    expect(statuses).toEqual(["failed", "failed", "retry_limit_exceeded"]);
  });

  test("max_retries: 0 never blocks, and says that the gates fail", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  test: "${UNLESS_FIXED}"\nmax_retries: 0\n`,
      "a.txt": "broken",
    });

    expect((await project.stop()).answer).toMatchObject({
      decision: "approve",
      status: "retry_limit_exceeded",
    });
  });

  test("an attempt that cannot be recorded does not block", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  test: "rm -rf gauntlet_logs/.state; echo > gauntlet_logs/.state; exit 1"\n`,
      "a.txt": "1",
    });

    const { answer } = await project.stop({}, { env: { XDG_STATE_HOME: "/dev/null/nowhere" } });

    expect(answer).toMatchObject({ decision: "approve", status: "error" });
    expect(answer.systemMessage).toContain("cannot be recorded");
  });
});

describe("nothing to do", () => {
  test("the same tree as the last pass is allowed without running a gate, and a second edit is seen", async () => {
    await using project = await GauntletProject.withChecks({ test: "echo ran >> ../runs" });
    await project.write({ "a.txt": "one" });
    const runs = () => readFileSync(join(project.root, "../runs"), "utf8").length / 4;

    await project.stop();
    const again = (await project.stop()).answer;
    const runsAgain = runs();
    await project.write({ "a.txt": "two" });
    await project.stop();

    expect(again).toMatchObject({
      status: "passed",
      message: expect.stringContaining("nothing changed since run 1") as unknown,
    });
    expect(runsAgain).toBe(1);
    expect(runs()).toBe(2);
  });

  test("committing what passed changes nothing; another gate configuration does", async () => {
    await using project = await GauntletProject.withChecks({ test: "echo ran >> ../runs" });
    await project.git("branch", "base");
    await project.write({
      "a.txt": "one",
      ".gauntlet/config.yml": "base_branch: base\nchecks:\n  test: 'echo ran >> ../runs'\n",
    });
    await project.stop();

    await project.commit("work");
    const committed = (await project.stop()).answer.message;
    await project.write({
      ".gauntlet/config.yml": "base_branch: base\nchecks:\n  test: 'echo again >> ../runs'\n",
    });
    const reconfigured = (await project.stop()).answer.message;

    expect(committed).toContain("nothing changed");
    expect(reconfigured).toContain("all gates completed");
  });

  test("a gate that changes files while it runs does not make its tree a passed one", async () => {
    await using project = await GauntletProject.withChecks({ format: "date +%s%N >> a.txt" });
    await project.write({ "a.txt": "one" });

    await project.stop();

    expect((await project.stop()).answer.message).toContain("all gates completed");
  });

  test("reverting or committing does not get past a gate that failed", async () => {
    await using project = await GauntletProject.withChecks({ test: "test -e ../green" }, { "a.txt": "1" });
    await project.write({ "a.txt": "2" });
    await project.stop();

    await project.git("checkout", "--quiet", "a.txt");
    const reverted = (await project.stop()).answer.status;
    await project.write({ "../green": "" });
    const fixed = (await project.stop()).answer.status;
    const after = (await project.stop()).answer.status;

    expect([reverted, fixed]).toEqual(["failed", "passed"]);
    expect(["no_changes", "passed"]).toContain(after);
  });

  test("agent-gauntlet run always runs", async () => {
    await using project = await GauntletProject.withChecks({ test: "echo ran >> ../runs" });
    await project.write({ "a.txt": "one" });

    await project.gauntlet(["run"]);
    await project.gauntlet(["run"]);

    expect(readFileSync(join(project.root, "../runs"), "utf8")).toBe("ran\nran\n");
  });
});

describe("stops that are not the end", () => {
  test("plan mode defers, and that is no pass", async () => {
    await using project = await GauntletProject.withChecks({ red: "exit 1" });
    await project.write({ "a.txt": "1" });

    expect((await project.stop({ permission_mode: "plan" })).answer).toMatchObject({
      decision: "approve",
      status: "deferred",
    });
    expect((await project.stop()).answer.status).toBe("failed");
  });

  test("background agents defer one stop per prompt; a background shell none", async () => {
    await using project = await GauntletProject.withChecks({ red: "exit 1" });
    await project.write({ "a.txt": "1" });
    const agent = [{ id: "1", type: "subagent", description: "explores" }];
    const shell = [{ id: "2", type: "shell", description: "npm run dev" }];
    const stop = async (background_tasks: unknown, prompt_id: string) =>
      (await project.stop({ background_tasks, prompt_id })).answer.status;

    const statuses = [
      await stop(shell, "p1"),
      await stop(agent, "p1"),
      await stop(agent, "p1"),
      await stop(agent, "p2"),
    ];

    expect(statuses).toEqual(["failed", "deferred", "failed", "deferred"]);
  });

  test("a prompt whose stop was put off and never came is named at the next one, once", async () => {
    await using project = await GauntletProject.withChecks({ green: "true" });
    await project.write({ "a.txt": "1" });
    const background_tasks = [{ id: "1", type: "subagent", status: "running", description: "works" }];
    const PUT_OFF = "was put off because background agents were still running";

    const first = await project.stop({ background_tasks, prompt_id: "p1" });
    const next = await project.stop({ prompt_id: "p2" });
    const later = await project.stop({ prompt_id: "p3" });

    expect(first.answer.message).toContain("1 background agent is still running");
    expect(next.answer).toMatchObject({ status: "passed", systemMessage: expect.stringContaining(PUT_OFF) });
    expect(later.answer).not.toHaveProperty("systemMessage");
  });

  test("a prompt whose stop came after all is not", async () => {
    await using project = await GauntletProject.withChecks({ green: "true" });
    await project.write({ "a.txt": "1" });
    const background_tasks = [{ id: "1", type: "subagent", status: "running", description: "works" }];

    await project.stop({ background_tasks, prompt_id: "p1" });
    const same = await project.stop({ prompt_id: "p1" });
    const next = await project.stop({ prompt_id: "p2" });

    expect(same.answer).not.toHaveProperty("systemMessage");
    expect(next.answer).not.toHaveProperty("systemMessage");
  });

  test("what has ended, works elsewhere or may be idle does not put the gates off", async () => {
    await using project = await GauntletProject.withChecks({ green: "true" });
    await project.write({ "a.txt": "1" });
    const background_tasks = [
      { id: "1", type: "subagent", status: "completed", description: "has ended" },
      { id: "2", type: "cloud session", status: "running", description: "works elsewhere" },
      { id: "3", type: "teammate", status: "running", description: "may be idle" },
    ];

    expect((await project.stop({ background_tasks })).answer.status).toBe("passed");
  });

  test("stop_hook.defer: false checks every stop", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks:\n  red: exit 1\nstop_hook:\n  defer: false\n",
    });

    expect((await project.stop({ permission_mode: "plan" })).answer.status).toBe("failed");
  });

  test.each(["SubagentStop", "PostToolUse", "SessionEnd", "Nonsense"])(
    "%s runs no gates",
    async (hook_event_name) => {
      await using project = await GauntletProject.withChecks({ red: "exit 1" });
      await project.write({ "a.txt": "1" });

      const done = await project.stop({ hook_event_name });

      expect(done.exitCode).toBe(0);
      expect(done.answer.decision).not.toBe("block");
      expect(project.has("gauntlet_logs")).toBe(false);
    },
  );

  test("an event without a name is a stop", async () => {
    await using project = await GauntletProject.withChecks({ red: "exit 1" });
    await project.write({ "a.txt": "1" });

    expect((await project.stop({ hook_event_name: undefined })).answer.decision).toBe("block");
  });
});

describe("two hooks at once, killed hooks, deadlines", () => {
  test("of two hooks of one session one runs; the other answers lock_conflict at once, without a notice", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await GauntletProject.withChecks({ test: gate.command() });
    await project.write({ "a.txt": "1" });

    const first = project.stop();
    const running = await gate.started();
    const second = await project.stop();
    const other = await project.stop({ session_id: "other" });
    running.exit(1);

    expect(second.answer).toMatchObject({ decision: "approve", status: "lock_conflict" });
    expect(second.answer.systemMessage).toBeUndefined();
    expect(other.answer.systemMessage).toContain("already in progress");
    expect((await first).answer.status).toBe("failed");
    expect(gate.waiting).toBe(0);
  });

  test("a SIGKILLed hook disables nothing: the next stop ends what it left and runs", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await GauntletProject.withChecks({ test: `${gate.command()}; exit 1` });
    await project.write({ "a.txt": "1" });
    let pid = 0;
    const killed = project.gauntlet(["stop-hook"], {
      stdin: JSON.stringify({ cwd: project.root }),
      onSpawn: (own) => (pid = own),
    });
    const orphan = await gate.started();
    kill(pid, "SIGKILL");
    await killed;

    const next = project.stop();
    const second = await gate.started();
    const orphanAlive = isAlive(orphan.pid);
    second.exit(0);

    expect(orphanAlive).toBe(false);
    expect((await next).answer.status).toBe("failed");
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s from the host: gates are ended, the lock is released, the stop is allowed",
    async (signal) => {
      await using gate = await ControlledCommand.create();
      await using project = await GauntletProject.withChecks({ test: gate.command() });
      await project.write({ "a.txt": "1" });
      let pid = 0;
      const stopped = project.stop({}, { onSpawn: (own) => (pid = own) });
      const running = await gate.started();

      kill(pid, signal);
      const { answer, exitCode } = await stopped;

      expect(exitCode).toBe(0);
      expect(answer).toMatchObject({ decision: "approve", status: "error" });
      expect(isAlive(running.pid)).toBe(false);
      expect(project.has("gauntlet_logs/.gauntlet-run.lock")).toBe(false);
    },
  );

  test("the deadline comes before the host's timeout; a gate that already failed still blocks", async () => {
    await using gate = await ControlledCommand.create();
    const checks = `checks:\n  slow: ${JSON.stringify(gate.command())}\n  red: exit 1\n`;

    const answer = await withGrowingLimit(
      (seconds) => answerWithin(seconds, checks),
      ({ decision }) => decision === "block" && gate.waiting > 0,
      2,
    );

    expect(answer.decision).toBe("block");
    expect(answer.reason).toContain("red failed: exit code 1");
    expect(isAlive((await gate.started()).pid)).toBe(false);
  });

  test("with nothing failed when time is up the stop is allowed, as an error that the user sees", async () => {
    await using gate = await ControlledCommand.create();
    const checks = `checks:\n  slow: ${JSON.stringify(gate.command())}\n`;

    const answer = await withGrowingLimit(
      (seconds) => answerWithin(seconds, checks),
      () => gate.waiting > 0,
      2,
    );

    expect(answer).toMatchObject({ decision: "approve", status: "error" });
    expect(answer.systemMessage).toContain(
      "slow cancelled: ended before it was done, because the time of the stop hook is over",
    );
  });
});

async function answerWithin(seconds: number, checks: string): Promise<Answer> {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": `${checks}stop_hook:\n  timeout: ${seconds}\n`,
  });
  return (await project.stop()).answer;
}
