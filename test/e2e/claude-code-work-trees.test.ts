import { describe, expect, test } from "vitest";
import {
  type ClaudeCodeRequest,
  type ClaudeCodeRun,
  installClaudeCode,
  runClaudeCode,
} from "../rig/claude-code.ts";
import type { ScriptedTurn } from "../rig/fake-anthropic-api.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const claude = await installClaudeCode();

const CONFIG =
  'checks: { state: "! grep broken state.txt" }\nstop_hook: { when_active: enforce, on: [stop, subagent_stop], agent_types: ["*"] }\n';
const BREAK = bash("echo broken > state.txt");
const FIX = bash("echo fixed > state.txt");

function bash(command: string): ScriptedTurn {
  return { toolUse: { name: "Bash", input: { command, description: "work" } } };
}

function use(name: string, input: Readonly<Record<string, unknown>>): ScriptedTurn {
  return { toolUse: { name, input } };
}

/** Its configuration and the hooks are committed or not; nothing has changed. */
async function gated(isCommitted = true): Promise<GauntletProject> {
  const project = await GauntletProject.create({ "state.txt": "new\n" });
  await project.commit("start");
  await project.write({ ".gauntlet/config.yml": CONFIG });
  if (isCommitted) await project.commit("gates");
  await project.gauntlet(["install", "--host", "claude-code"]);
  return project;
}

function play(
  { root, home }: GauntletProject,
  request: Pick<ClaudeCodeRequest, "turns" | "args" | "model">,
): Promise<ClaudeCodeRun> {
  if (!claude.ok) throw new Error(claude.reason);
  return runClaudeCode({ bin: claude.bin, project: root, home, ...request });
}

function answers({ hooks }: ClaudeCodeRun): readonly string[] {
  const own = hooks.filter(({ event }) => event === "Stop");
  return own.map(({ stdout }) => (JSON.parse(stdout) as { status: string }).status);
}

function decisions({ hooks }: ClaudeCodeRun, event: string): readonly (string | undefined)[] {
  const own = hooks.filter((hook) => hook.event === event);
  return own.map(({ stdout }) => (JSON.parse(stdout) as { decision?: string }).decision);
}

describe.runIf(claude.ok)("an agent that works in a linked work tree is judged there", () => {
  test.for([true, false])("after EnterWorktree, with gates that are committed: %s", async (isCommitted) => {
    await using project = await gated(isCommitted);

    const run = await play(project, {
      turns: [use("EnterWorktree", { name: "feat" }), BREAK, "Done.", FIX, "Fixed."],
    });

    expect(answers(run)).toEqual(["failed", "passed"]);
    expect(project.has(".claude/worktrees/feat/gauntlet_logs")).toBe(true);
    expect(project.has("gauntlet_logs")).toBe(false);
    expect(run.notices).toEqual([]);
  });

  test("started with --worktree", async () => {
    await using project = await gated();

    const run = await play(project, { args: ["--worktree", "feat"], turns: [BREAK, "Done.", FIX, "Fixed."] });

    expect(answers(run)).toEqual(["failed", "passed"]);
    expect(run.notices).toEqual([]);
  });

  test("after a cd into an added directory", async () => {
    await using project = await gated();
    await project.git("worktree", "add", "--quiet", "../side");
    const side = project.at("../side");

    const run = await play(project, {
      args: ["--add-dir", side.root],
      turns: [bash(`cd ${side.root}; echo broken > state.txt`), "Done.", FIX, "Fixed."],
    });

    expect(answers(run)).toEqual(["failed", "passed"]);
  });

  test("as an isolated sub-agent", async () => {
    await using project = await gated();
    const isolated = {
      description: "work",
      prompt: "do it",
      subagent_type: "general-purpose",
      isolation: "worktree",
      run_in_background: false,
    };

    const run = await play(project, {
      turns: [use("Agent", isolated), "Done."],
      model: { subagentTurns: [BREAK, "Done.", FIX, "Fixed."] },
    });

    expect(decisions(run, "SubagentStop")).toEqual(["block", undefined]);
    expect(answers(run)).toEqual(["passed"]);
    expect(run.notices).toEqual([]);
  });
});
