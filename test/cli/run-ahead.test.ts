import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { survivors } from "../rig/processes.ts";
import { lastRunAhead, lockRefused } from "../rig/state-files.ts";

/** A project in which an agent works; its session ends with the test. */
class Ahead implements AsyncDisposable {
  readonly command: ControlledCommand;
  readonly project: GauntletProject;

  private constructor(command: ControlledCommand, project: GauntletProject) {
    this.command = command;
    this.project = project;
  }

  static async create(runAhead = "{ after: 0.1 }", more = ""): Promise<Ahead> {
    const command = await ControlledCommand.create();
    const config = `run_ahead: ${runAhead}\nstop_hook: { when_active: enforce }\nchecks:\n  test: ${JSON.stringify(command.command())}\n${more}`;
    const project = await GauntletProject.create({ ".gauntlet/config.yml": config, "a.txt": "1\n" });
    await project.commit("start");
    return new Ahead(command, project);
  }

  async edit(content: string, event: object = {}, env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.project.write({ "a.txt": content });
    const tool_calls = [{ tool_name: "Write", tool_input: { file_path: `${this.project.root}/a.txt` } }];
    await this.tell({ hook_event_name: "PostToolBatch", tool_calls, ...event }, env);
  }

  async tell(event: object, env: Readonly<Record<string, string>> = {}): Promise<void> {
    const stdin = JSON.stringify({ session_id: "session-1", cwd: this.project.root, ...event });
    const done = await this.project.gauntlet(["edit-hook"], { stdin, env });
    expect(done).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  }

  async finished(run: number): Promise<void> {
    await expect.poll(() => lastRunAhead(this.project)).toBe(run);
  }

  /** Of the background and of its gates. */
  processes(): readonly number[] {
    return survivors(this.project.root);
  }

  async endSession(): Promise<void> {
    await this.project.stop({ hook_event_name: "SessionEnd", reason: "exit" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.endSession();
    await expect.poll(() => this.processes()).toEqual([]);
    await this.command[Symbol.asyncDispose]();
    await this.project[Symbol.asyncDispose]();
  }
}

describe("a run ahead of the stop", () => {
  test("that passed is the stop's answer, and no gate runs again", async () => {
    await using ahead = await Ahead.create();
    await ahead.edit("2\n");
    (await ahead.command.started()).exit(0);
    await ahead.finished(1);

    const { answer } = await ahead.project.stop();

    expect(answer).toMatchObject({ decision: "approve", status: "passed" });
    expect(answer.message).toContain("nothing changed since run 1, ahead of this stop, passed");
    expect(ahead.command.waiting).toBe(0);
  });

  test("that failed is given as a block, costs one attempt, and is not run again", async () => {
    await using ahead = await Ahead.create();
    await ahead.edit("2\n");
    const gate = await ahead.command.started();
    gate.print("a.txt:1:1: error: wrong\n");
    gate.exit(1);
    await ahead.finished(1);

    const { answer } = await ahead.project.stop();
    const log = await ahead.project.gauntlet(["explain", "--verbose"]);

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(answer.reason).toContain("a.txt:1:1");
    expect(answer.reason).toContain("Attempt 1 of 3");
    expect(log.stdout).toContain("test");
    expect(ahead.command.waiting).toBe(0);
  });

  test("that failed beside a shell command of the agent is run again", async () => {
    await using ahead = await Ahead.create();
    await ahead.edit("2\n");
    const gate = await ahead.command.started();
    await ahead.tell({
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "npm test" },
    });
    gate.exit(1);
    await ahead.finished(1);

    const stop = ahead.project.stop();
    (await ahead.command.started()).exit(0);

    expect((await stop).answer).toMatchObject({ decision: "approve", status: "passed" });
  });

  test("that is under way on the same files is joined", async () => {
    await using ahead = await Ahead.create();
    await ahead.edit("2\n");
    const gate = await ahead.command.started();
    expect((await ahead.project.gauntlet(["status", "--short"])).stdout).toMatch(/^ahead: test \d+ s\n$/);

    const refused = lockRefused(ahead.project);
    const stop = ahead.project.stop();
    await refused;
    gate.exit(0);

    expect((await stop).answer).toMatchObject({ decision: "approve", status: "passed" });
    expect(ahead.command.waiting).toBe(0);
  });

  test("is cancelled when a file changes, and starts again when the files are still", async () => {
    await using ahead = await Ahead.create();
    await ahead.edit("2\n");
    const first = await ahead.command.started();

    await ahead.project.write({ "a.txt": "3\n" });
    await first.gone;
    (await ahead.command.started()).exit(0);
    await ahead.finished(2);

    expect((await ahead.project.stop()).answer).toMatchObject({ decision: "approve", status: "passed" });
    expect(ahead.command.waiting).toBe(0);
  });

  test("never answers for other files", async () => {
    await using ahead = await Ahead.create("{ after: 0.1, max_per_minute: 1 }");
    await ahead.edit("2\n");
    (await ahead.command.started()).exit(0);
    await ahead.finished(1);

    await ahead.project.write({ "a.txt": "3\n" });
    const stop = ahead.project.stop();
    (await ahead.command.started()).exit(1);

    expect((await stop).answer).toMatchObject({ decision: "block", status: "failed" });
  });

  test("makes way for a manual run and for clean", async () => {
    await using ahead = await Ahead.create();
    await ahead.edit("2\n");
    const first = await ahead.command.started();

    const manual = ahead.project.gauntlet(["run"]);
    await first.gone;
    (await ahead.command.started()).exit(0);
    expect(await manual).toMatchObject({ exitCode: 0 });

    await ahead.edit("3\n");
    const second = await ahead.command.started();
    expect(await ahead.project.gauntlet(["clean"])).toMatchObject({ exitCode: 0 });
    await second.gone;
  });

  test("is one process, however many edits there are, and spends nothing", async () => {
    await using ahead = await Ahead.create();
    await Promise.all(["2\n", "3\n", "4\n"].map((content) => ahead.edit(content)));
    (await ahead.command.started()).exit(1);
    await ahead.finished(1);

    expect(ahead.processes()).toHaveLength(1);
    expect(await ahead.project.json(["status"])).toMatchObject({ sessions: [] });
    expect(ahead.command.waiting).toBe(0);
  });

  test("ends with the session, and with the agent's process", async () => {
    await using ahead = await Ahead.create();
    const agent = spawn("sleep", ["600"]);
    await ahead.edit("2\n", {}, { CLAUDE_PID: String(agent.pid) });
    const first = await ahead.command.started();
    await ahead.endSession();
    await first.gone;
    await expect.poll(() => ahead.processes()).toEqual([]);

    await ahead.edit("3\n", {}, { CLAUDE_PID: String(agent.pid) });
    (await ahead.command.started()).exit(0);
    agent.kill();
    await once(agent, "exit");

    await expect.poll(() => ahead.processes()).toEqual([]);
  });

  test("does not begin in plan mode, nor after a tool that edits nothing", async () => {
    await using ahead = await Ahead.create();
    await ahead.edit("2\n", { permission_mode: "plan" });
    await ahead.tell({
      hook_event_name: "PostToolUse",
      tool_name: "Read",
      tool_input: { file_path: "a.txt" },
    });

    expect(ahead.processes()).toEqual([]);
  });

  test("of some gates leaves the others to the stop", async () => {
    await using ahead = await Ahead.create("{ after: 0.1, gates: [test] }", "  lint: exit 1\n");
    await ahead.edit("2\n");
    (await ahead.command.started()).exit(0);
    await ahead.finished(1);

    const { answer } = await ahead.project.stop();

    expect(answer).toMatchObject({ decision: "block" });
    expect(answer.reason).toContain("did not pass: lint");
    expect(ahead.command.waiting).toBe(0);
  });
});

test("a gate of run_ahead that does not exist is named with its place", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": "run_ahead: { gates: [tset] }\nchecks:\n  test: 'true'\n",
  });

  const { exitCode, stdout, stderr } = await project.gauntlet(["validate"]);

  expect(exitCode).toBe(1);
  expect(stdout + stderr).toMatch(/config\.yml:1:\d+: error: there is no gate `tset`[^]*did you mean `test`/);
});
