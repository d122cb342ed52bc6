import { describe, expect, test } from "vitest";

import { ControlledCommand } from "../rig/controlled-command.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { projectWith, RED, send, SUBAGENT, TASK, TEAMMATE } from "../rig/hosts/send.ts";

describe("the events of stop_hook.on", () => {
  test("are allowed silently where the project does not gate them", async () => {
    await using project = await projectWith(`checks:\n  ready: '${RED}'\n`);

    for (const event of [SUBAGENT, TASK, TEAMMATE])
      expect(await send(project, event)).not.toHaveProperty("decision");
    expect(project.has("gauntlet_logs/console.1.log")).toBe(false);
  });

  test("gate a sub-agent of a named type, and no other", async () => {
    await using project = await projectWith(
      `stop_hook:\n  on: [stop, subagent_stop]\n  agent_types: [coder]\nchecks:\n  ready: '${RED}'\n`,
    );

    const other = await send(project, SUBAGENT);
    const meant = await send(project, SUBAGENT, { agent_type: "coder" });
    await project.write({ "state.txt": "fixed\n" });
    const fixed = await send(project, SUBAGENT, { agent_type: "coder" });

    expect(other).not.toHaveProperty("decision");
    expect(meant).toMatchObject({
      decision: "block",
      reason: "Gauntlet gates did not pass: ready (1 of 1).",
      hookSpecificOutput: { hookEventName: "SubagentStop" },
    });
    expect(fixed).toEqual({ stderr: expect.any(String), exitCode: 0 });
  });

  test("have budgets of their own: a sub-agent's blocks cost the agent nothing", async () => {
    await using project = await projectWith(
      `max_retries: 1\nstop_hook:\n  when_active: enforce\n  on: [stop, subagent_stop]\n  agent_types: ["*"]\nchecks:\n  ready: '${RED}'\n`,
    );

    const answers = [
      await send(project, SUBAGENT),
      await send(project, SUBAGENT, { stop_hook_active: true }),
      await send(project, SUBAGENT, { agent_id: "another" }),
      await send(project, ["claude-code", "stop"]),
    ];

    expect(answers.map(({ decision }) => decision)).toEqual(["block", undefined, "block", "block"]);
    expect(answers[1]?.systemMessage).toContain("retry limit exceeded");
  });

  test("run only the checks that name them, and the pass of some is no pass of all", async () => {
    await using project = await projectWith(
      [
        "stop_hook:",
        "  on: [stop, task_completed]",
        "checks:",
        "  quick: { command: 'touch quick-ran', on: [task_completed] }",
        `  ready: { command: '${RED}', on: [stop] }`,
        "",
      ].join("\n"),
    );

    const task = await send(project, TASK);
    const stop = await send(project, ["claude-code", "stop"]);

    expect(task).not.toHaveProperty("decision");
    expect(project.has("quick-ran")).toBe(true);
    expect(project.read("gauntlet_logs/console.1.log")).not.toContain("ready");
    expect(stop).toMatchObject({ decision: "block" });
  });

  test("reuse a pass of everything", async () => {
    await using project = await projectWith(
      "stop_hook:\n  on: [stop, task_completed]\nchecks:\n  one: 'true'\n  two: { command: 'true', on: [stop] }\n",
    );
    await project.gauntlet(["run"]);

    await send(project, TASK);
    await send(project, ["claude-code", "stop"]);

    expect(project.has("gauntlet_logs/console.2.log")).toBe(false);
  });

  test("without a flag of the host go by our own record of the block, until the session ends", async () => {
    await using project = await projectWith(
      `stop_hook:\n  on: [stop, task_completed, teammate_idle]\nchecks:\n  ready: '${RED}'\n`,
    );
    const session = { session_id: recording(...TASK).payload["session_id"] };

    const first = await send(project, TASK);
    const again = await send(project, TASK);
    const otherPrompt = await send(project, TASK, { prompt_id: "next" });
    const ended = await send(project, ["claude-code", "session-end"], session);
    const after = await send(project, TASK, { prompt_id: "next" });

    expect(first).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("did not pass: ready (1 of 1)"),
    });
    expect(again).toMatchObject({ systemMessage: expect.stringContaining("let through") });
    expect(again).not.toHaveProperty("decision");
    expect(otherPrompt).toMatchObject({ decision: "block" });
    expect(ended).toEqual({ stderr: expect.any(String), exitCode: 0 });
    expect(after).toMatchObject({ decision: "block" });
    expect(await send(project, TEAMMATE)).toMatchObject({ decision: "block" });
  });

  test("are registered by install with the end of the session, and missed by doctor", async () => {
    await using project = await projectWith(
      "stop_hook:\n  on: [stop, task_completed]\nchecks:\n  one: 'true'\n",
    );
    await project.write({
      ".claude/settings.local.json": JSON.stringify({
        hooks: { Stop: [{ hooks: [{ type: "command", command: "agent-gauntlet stop-hook" }] }] },
      }),
    });

    const before = await project.gauntlet(["doctor"]);
    await project.gauntlet(["install", "--host", "claude-code"]);
    const settings = JSON.parse(project.read(".claude/settings.local.json")) as { hooks: object };
    const after = await project.gauntlet(["doctor"]);

    expect(before.stdout).toContain("TaskCompleted is gated by stop_hook.on but not registered");
    expect(before.stdout).toContain("SessionStart is not registered: where a session begins is not known");
    expect(Object.keys(settings.hooks)).toEqual([
      "Stop",
      "SessionStart",
      "UserPromptSubmit",
      "ConfigChange",
      "TaskCompleted",
      "StopFailure",
      "SessionEnd",
    ]);
    expect(after.stdout).not.toContain("not registered");
  });
});

test("an idle teammate does not put the gates off", async () => {
  await using project = await projectWith(`checks:\n  ready: '${RED}'\n`);

  expect(await send(project, ["claude-code", "stop-with-idle-teammate"])).toMatchObject({
    decision: "block",
  });
});

test("a stop of Claude Code that says it does not go on is checked, whatever we remember", async () => {
  await using project = await projectWith(`checks:\n  ready: '${RED}'\n`);

  const answers = [
    await send(project, ["claude-code", "stop"]),
    await send(project, ["claude-code", "stop"]),
  ];

  expect(answers.map(({ decision }) => decision)).toEqual(["block", "block"]);
});

test("Gemini CLI's stop after a block is known although it forgets its flag after a tool call", async () => {
  await using project = await projectWith(`checks:\n  ready: '${RED}'\n`);
  const { session_id } = recording("gemini", "stop").payload;

  const first = await send(project, ["gemini", "stop"]);
  const second = await send(project, ["gemini", "stop-after-block-and-tool"], { session_id });
  const nextPrompt = await send(project, ["gemini", "stop"], { prompt: "something else" });

  expect(first).toMatchObject({ decision: "block" });
  expect(second).toMatchObject({ systemMessage: expect.stringContaining("let through") });
  expect(nextPrompt).toMatchObject({ decision: "block" });
});

test("VS Code chat, whose model reads stderr, gets the reason there and nothing else", async () => {
  await using project = await projectWith(`checks:\n  ready: '${RED}'\n`);
  const stdin = JSON.stringify({
    timestamp: "t",
    cwd: project.root,
    sessionId: "s",
    hookEventName: "Stop",
    stop_hook_active: false,
  });

  const blocked = await project.gauntlet(["stop-hook"], { stdin });
  await project.write({ "state.txt": "fixed\n" });
  const allowed = await project.gauntlet(["stop-hook"], { stdin });

  expect(blocked.exitCode).toBe(2);
  expect(blocked.stderr).toMatch(/^Gauntlet gates did not pass/);
  expect(blocked.stderr).not.toContain("[gauntlet]");
  expect(allowed.stderr).toContain("[gauntlet] Gauntlet passed!");
});

describe("stop_hook.background", () => {
  const BACKGROUND = `stop_hook:\n  background: true\nchecks:\n  ready: '${RED}'\n`;

  test("is registered as a hook that wakes the agent, and taken back when it is switched off", async () => {
    await using project = await projectWith(BACKGROUND);
    const registered = async (): Promise<unknown> => {
      await project.gauntlet(["install", "--host", "claude-code"]);
      const { hooks } = JSON.parse(project.read(".claude/settings.local.json")) as {
        hooks: { Stop: { hooks: object[] }[] };
      };
      return hooks.Stop.flatMap((group) => group.hooks);
    };

    const on = await registered();
    const again = await registered();
    await project.write({ ".gauntlet/config.yml": "checks:\n  one: 'true'\n" });
    const off = await registered();

    expect(on).toEqual([
      {
        type: "command",
        command: expect.stringMatching(/stop-hook --background$/),
        timeout: 300,
        asyncRewake: true,
      },
    ]);
    expect(again).toEqual(on);
    expect(off).toEqual([{ type: "command", command: expect.stringMatching(/ stop-hook$/), timeout: 300 }]);
  });

  test("blocks with exit code 2 and nothing but the reason on stderr, and is explained as it was answered", async () => {
    await using project = await projectWith(BACKGROUND);
    const stdin = JSON.stringify({ ...recording("claude-code", "stop").payload, cwd: project.root });

    const blocked = await project.gauntlet(["stop-hook", "--background"], { stdin });

    expect(blocked).toMatchObject({ exitCode: 2, stdout: "{}\n" });
    expect(blocked.stderr).toMatch(/^Gauntlet gates did not pass/);
    expect(await project.json(["explain"])).toMatchObject({
      verdict: { decision: "block" },
      answer: { exitCode: 2 },
    });
  });

  test("has one budget for a prompt and all its wake-ups, which Claude Code counts as prompts of their own", async () => {
    await using project = await projectWith(
      `max_retries: 2\nstop_hook:\n  background: true\n  when_active: enforce\nchecks:\n  ready: '${RED}'\n`,
    );
    const stop = async (prompt_id: string, stop_hook_active: boolean): Promise<number | null> => {
      const { payload } = recording("claude-code", "stop");
      const stdin = JSON.stringify({ ...payload, cwd: project.root, prompt_id, stop_hook_active });
      return (await project.gauntlet(["stop-hook", "--background"], { stdin })).exitCode;
    };

    const codes = [await stop("p1", false), await stop("p2", true), await stop("p3", true)];

    expect(codes).toEqual([2, 2, 0]);
    expect(await project.json(["explain"])).toMatchObject({ verdict: { status: "retry_limit_exceeded" } });
  });

  test("is for hosts that can be woken: another one gets its usual answer", async () => {
    await using project = await projectWith(BACKGROUND);
    const stdin = JSON.stringify({ ...recording("copilot", "stop").payload, cwd: project.root });

    const blocked = await project.gauntlet(["stop-hook", "--background"], { stdin });

    expect(blocked.exitCode).toBe(0);
    expect(JSON.parse(blocked.stdout)).toMatchObject({ decision: "block" });
  });

  test("is no pass before it has finished: status shows the run, and verify says no", async () => {
    await using command = await ControlledCommand.create();
    await using project = await projectWith(`checks:\n  slow: ${JSON.stringify(command.command())}\n`);
    const stop = project.stop();
    const gate = await command.started();

    const during = await project.json(["status"]);
    const verified = await project.gauntlet(["verify"]);
    gate.exit(0);
    await stop;
    const after = await project.json(["status"]);

    expect(during).toMatchObject({ running: { pid: expect.any(Number) }, lastPass: null });
    expect(verified.exitCode).toBe(1);
    expect(after).toMatchObject({ running: null, lastPass: { status: "passed" } });
  });
});
