import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ClaudeCodeRun, installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import type { ScriptedTurn } from "../rig/fake-anthropic-api.ts";
import { type Answer, CLI, GauntletProject } from "../rig/gauntlet-project.ts";
import { GAUNTLET_LINE } from "../rig/program.ts";

const claude = await installClaudeCode();

/** Another hook sends the agent back once, so that it stops twice with the same files. */
const ONCE_MORE = `test -e ../again || { touch ../again; echo '{"decision":"block","reason":"Once more."}'; }`;

/** A gate that leaves a line outside of the project each time it runs. */
async function projectOf(check: string): Promise<GauntletProject> {
  const command = `echo ran >> ../runs; ${check}`;
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": `stop_hook: { when_active: enforce }\nchecks:\n  unit: ${JSON.stringify(command)}\n`,
    ".claude/settings.json": JSON.stringify({
      hooks: { Stop: [{ hooks: [{ type: "command", command: ONCE_MORE }] }] },
    }),
    "a.txt": "1\n",
  });
  await project.commit("start");
  await project.gauntlet(["install", "--host", "claude-code"]);
  const program = join(project.home, "gauntlet.sh");
  await writeFile(program, `#!/bin/sh\nexec ${GAUNTLET_LINE} "$@"\n`);
  await chmod(program, 0o755);
  await project.write({ "a.txt": "2\n" });
  return project;
}

function bash(command: string): ScriptedTurn {
  return { toolUse: { name: "Bash", input: { command, description: "run" } } };
}

function session(project: GauntletProject, first: ScriptedTurn): Promise<ClaudeCodeRun> {
  if (!claude.ok) throw new Error(claude.reason);
  const mcpServers = { gauntlet: { command: process.execPath, args: [CLI, "mcp"] } };
  return runClaudeCode({
    bin: claude.bin,
    project: project.root,
    home: project.home,
    args: ["--mcp-config", JSON.stringify({ mcpServers }), "--strict-mcp-config"],
    turns: [first],
    model: { fallback: "Done." },
  });
}

function answers({ hooks }: ClaudeCodeRun): readonly Answer[] {
  return hooks
    .filter(({ event, stdout }) => event === "Stop" && stdout.includes('"status"'))
    .map(({ stdout }) => JSON.parse(stdout) as Answer); // our own protocol
}

const RUN = '"$HOME/gauntlet.sh" run';
/** The environment that the client was started in, which is that of its user's terminal. */
const AS_STARTED =
  'xargs -0 sh -c \'exec env -i "$@" "$HOME/gauntlet.sh" run\' sh < "/proc/$CLAUDE_PID/environ"';

describe.runIf(claude.ok)(
  "two stops of the real Claude Code with the same files run no gate the second time",
  () => {
    test.for<[after: string, first: ScriptedTurn]>([
      ["a run by the stop itself", "Done."],
      ["a run over MCP", { toolUse: { name: "mcp__gauntlet__run_gates", input: {} } }],
      ["a run in the agent's shell", bash(RUN)],
      ["a run in the user's terminal", bash(AS_STARTED)],
    ])("after %s, and the pass is one that others rely on", async ([, first]) => {
      await using project = await projectOf("true");

      const run = await session(project, first);
      const verified = await project.gauntlet(["verify"]);

      expect(answers(run).map(({ status }) => status)).toEqual(["passed", "passed"]);
      expect(answers(run)[1]?.message).toContain("nothing changed since run 1");
      expect(project.read("../runs")).toBe("ran\n");
      expect(verified).toMatchObject({ exitCode: 0 });
    });

    test("but a run with another variable counts for nothing", async () => {
      await using project = await projectOf('test -n "$SKIP_TESTS"');

      const run = await session(project, bash(`SKIP_TESTS=1 ${RUN}`));
      const verified = await project.gauntlet(["verify"]);

      expect(answers(run)[0]).toMatchObject({ decision: "block", status: "failed" });
      expect(verified.exitCode).toBe(1);
    });
  },
);

test("Claude Code is here to be tested with", ({ skip }) => {
  if (!claude.ok) skip(claude.reason);
});
