import { describe, expect, test } from "vitest";

import { type ClaudeCodeRun, installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import { installClient } from "../rig/client-cache.ts";
import type { ModelRequest, ScriptedTurn } from "../rig/fake-anthropic-api.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const claude = await installClaudeCode();

const CHECK = `grep -q fixed status.txt || { echo "status.txt:1:1: error: must say fixed"; exit 1; }`;
const FIRST_LINE = "Gauntlet gates did not pass: ";
const DETAIL = "must say fixed";

const CREATE_TASK = {
  toolUse: {
    name: "TaskCreate",
    input: { subject: "Write it", description: "w", activeForm: "Writing" },
  },
};
const COMPLETE_TASK = { toolUse: { name: "TaskUpdate", input: { taskId: "1", status: "completed" } } };

/** A project with a red check whose hooks were registered by our own `install`. */
async function gatedProject(stopHook: string, check = CHECK): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": `stop_hook:\n  when_active: enforce\n${stopHook}checks:\n  test: ${JSON.stringify(check)}\n`,
    "status.txt": "fixed\n",
  });
  await project.commit("start");
  await project.write({ "status.txt": "broken\n" });
  const installed = await project.gauntlet(["install", "--host", "claude-code"]);
  expect(installed.stdout).toContain("✓ Stop hook installed");
  return project;
}

function fixing(project: GauntletProject): ScriptedTurn {
  return async () => {
    await project.write({ "status.txt": "fixed again\n" }); // not what is committed
    return "Fixed.";
  };
}

/** How often a text is in a question to the model. */
function timesIn(request: ModelRequest | undefined, text: string): number {
  const whole = request?.messages.map((message) => message.text).join("\n") ?? "";
  return whole.split(text).length - 1;
}

function decisions(run: ClaudeCodeRun, event: string): readonly unknown[] {
  return run.hooks
    .filter((hook) => hook.event === event)
    .map(({ stdout }) => (JSON.parse(stdout) as { decision?: string }).decision);
}

test("Claude Code is here to be tested with", ({ skip }) => {
  if (!claude.ok) skip(claude.reason);
});

describe.runIf(claude.ok)("what the model reads of a block", () => {
  test("is there once, but for its first line", async () => {
    await using project = await gatedProject("");

    const run = await runClaudeCode({
      bin: claude.ok ? claude.bin : "",
      project: project.root,
      turns: ["All done.", fixing(project)],
    });

    expect(decisions(run, "Stop")).toEqual(["block", "approve"]);
    expect(timesIn(run.requests[1], DETAIL)).toBe(1);
    expect(timesIn(run.requests[1], FIRST_LINE)).toBe(2);
  });

  test.for(["2.1.100", "2.1.161", "2.1.197"])(
    "blocks version %s too, which knows less",
    async (version, { skip }) => {
      const older = await installClient({ package: "@anthropic-ai/claude-code", version });
      if (!older.ok) return skip(older.reason);
      await using project = await gatedProject("");

      const run = await runClaudeCode({
        bin: older.bin,
        project: project.root,
        turns: ["All done.", fixing(project)],
      });

      expect(decisions(run, "Stop")).toEqual(["block", "approve"]);
      expect(timesIn(run.requests[1], DETAIL)).toBe(1);
    },
  );
});

describe.runIf(claude.ok)("what else ends", () => {
  const agent = {
    toolUse: {
      name: "Agent",
      input: {
        description: "sub",
        prompt: "do it",
        subagent_type: "general-purpose",
        run_in_background: false,
      },
    },
  };

  test("a sub-agent of a gated type goes on with the reason until its work passes, and the turn is free then", async () => {
    await using project = await gatedProject(
      "  on: [stop, subagent_stop]\n  agent_types: [general-purpose]\n",
    );

    const run = await runClaudeCode({
      bin: claude.ok ? claude.bin : "",
      project: project.root,
      turns: [agent, "final"],
      model: { subagentTurns: ["sub done", fixing(project)] },
    });

    const asked = run.allRequests.filter(({ kind }) => kind === "subagent");
    expect(decisions(run, "SubagentStop")).toEqual(["block", undefined]);
    expect(timesIn(asked[1], DETAIL)).toBe(1);
    expect(decisions(run, "Stop")).toEqual(["approve"]);
    expect(project.has("gauntlet_logs/console.3.log")).toBe(false);
  });

  test("two sub-agents that end at the same moment are both judged", async () => {
    await using project = await gatedProject(
      '  on: [stop, subagent_stop]\n  agent_types: ["*"]\n',
      `sleep 1; ${CHECK}`, // long enough for the second to find the first one's run going on
    );

    const run = await runClaudeCode({
      bin: claude.ok ? claude.bin : "",
      project: project.root,
      home: project.home,
      turns: [{ toolUse: [agent.toolUse, agent.toolUse] }, "final"],
      model: { subagentTurns: ["one done", "two done", fixing(project), fixing(project)] },
    });

    const { verdicts } = (await project.json(["log"])) as { verdicts: readonly { status: string }[] };
    expect(verdicts.length).toBeGreaterThanOrEqual(4); // the second may be judged after the first one's fix
    const statuses = new Set(verdicts.map(({ status }) => status));
    statuses.delete("passed_with_warnings"); // of a run during which the other one wrote its fix
    expect(statuses).toEqual(new Set(["passed", "failed"]));
    expect(decisions(run, "Stop")).toEqual(["approve"]);
  });

  test("a sub-agent of another type ends unasked", async () => {
    await using project = await gatedProject("  on: [stop, subagent_stop]\n  agent_types: [coder]\n");

    const run = await runClaudeCode({
      bin: claude.ok ? claude.bin : "",
      project: project.root,
      turns: [agent, "final", fixing(project)],
      model: { subagentTurns: ["sub done"] },
    });

    expect(decisions(run, "SubagentStop")).toEqual([undefined]);
    expect(decisions(run, "Stop")).toEqual(["block", "approve"]);
  });

  test("a task stays open while a gate fails, and its tool result says why", async () => {
    await using project = await gatedProject("  on: [task_completed]\n");

    const run = await runClaudeCode({
      bin: claude.ok ? claude.bin : "",
      project: project.root,
      args: ["--tools", "TaskCreate,TaskUpdate,Bash"],
      turns: [
        CREATE_TASK,
        COMPLETE_TASK,
        async () => {
          await project.write({ "status.txt": "fixed\n" });
          return COMPLETE_TASK;
        },
        "final",
      ],
    });

    expect(decisions(run, "TaskCompleted")).toEqual(["block", undefined]);
    expect(run.requests[2]?.last).toContain(DETAIL);
    expect(timesIn(run.requests[2], DETAIL)).toBe(1);
    expect(run.requests[3]?.last).not.toContain(DETAIL);
    expect(decisions(run, "Stop")).toEqual(["approve"]);
  });
});

describe.runIf(claude.ok)("a gate for one event", () => {
  test("runs when a task is completed and not when the agent stops, and the other way round", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": [
        "stop_hook:",
        "  when_active: enforce",
        "  on: [stop, task_completed]",
        "checks:",
        `  task: { command: ${JSON.stringify(CHECK)}, on: [task_completed] }`,
        "  stop: { command: grep -q approved status.txt, on: [stop] }",
        "",
      ].join("\n"),
      "status.txt": "fixed\n",
    });
    await project.commit("start");
    await project.write({ "status.txt": "broken\n" });
    await project.gauntlet(["install", "--host", "claude-code"]);
    const after = async <Turn>(text: string, turn: Turn): Promise<Turn> => {
      await project.write({ "status.txt": `${text}\n` });
      return turn;
    };

    const run = await runClaudeCode({
      bin: claude.ok ? claude.bin : "",
      project: project.root,
      args: ["--tools", "TaskCreate,TaskUpdate,Bash"],
      turns: [
        CREATE_TASK,
        COMPLETE_TASK,
        () => after("fixed again", COMPLETE_TASK),
        "All done.",
        () => after("approved, but no longer right", "Now it is."),
      ],
    });

    expect(decisions(run, "TaskCompleted")).toEqual(["block", undefined]);
    expect(run.requests[2]?.last).toContain("did not pass: task");
    expect(decisions(run, "Stop")).toEqual(["block", "approve"]);
    expect(run.requests[4]?.messages.map(({ text }) => text).join("\n")).toContain("did not pass: stop");
  });
});

describe.runIf(claude.ok)("gates in the background", () => {
  test("wake the agent with the reason alone, within its budget, and are explained like others", async () => {
    await using project = await gatedProject("  background: true\n");

    const run = await runClaudeCode({
      bin: claude.ok ? claude.bin : "",
      project: project.root,
      turns: ["All done.", "Really.", fixing(project)],
    });

    const stops = run.hooks.filter(({ event }) => event === "Stop");
    expect(stops.map(({ exitCode }) => exitCode)).toEqual([2, 2, 0]);
    expect(run.requests[1]?.last).toMatch(/^Stop hook feedback:\n\[.*\]: Gauntlet gates did not pass: /);
    expect(timesIn(run.requests[1], DETAIL)).toBe(1);
    expect(run.requests[1]?.last).toContain("Attempt 1 of 3");
    expect(run.requests[2]?.last).toContain("Attempt 2 of 3");
    expect(run.requests).toHaveLength(3);
  });
});
