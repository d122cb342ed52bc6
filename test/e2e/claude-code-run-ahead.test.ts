import { describe, expect, test } from "vitest";
import { type ClaudeCodeRun, installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import type { ScriptedTurn } from "../rig/fake-anthropic-api.ts";
import { type Answer, GauntletProject } from "../rig/gauntlet-project.ts";
import { survivors } from "../rig/processes.ts";
import { lastRunAhead } from "../rig/state-files.ts";

const claude = await installClaudeCode();

async function projectOf(config: string): Promise<GauntletProject> {
  const project = await GauntletProject.create({ ".gauntlet/config.yml": config, "a.txt": "1\n" });
  await project.commit("start");
  await project.gauntlet(["install", "--host", "claude-code", "--yes"]);
  return project;
}

function session(project: GauntletProject, turns: readonly ScriptedTurn[]): Promise<ClaudeCodeRun> {
  if (!claude.ok) throw new Error(claude.reason);
  const model = { fallback: "Done." };
  return runClaudeCode({ bin: claude.bin, project: project.root, home: project.home, turns, model });
}

function write(project: GauntletProject, content: string): ScriptedTurn {
  return { toolUse: { name: "Write", input: { file_path: `${project.root}/a.txt`, content } } };
}

/** The model thinks until a run ahead has come to its end. */
function doneAfter(project: GauntletProject, run: number): ScriptedTurn {
  return async () => {
    await expect.poll(() => lastRunAhead(project)).toBe(run);
    return "Done.";
  };
}

function answers({ hooks }: ClaudeCodeRun): readonly Answer[] {
  return hooks
    .filter(({ event, stdout }) => event === "Stop" && stdout.includes('"status"'))
    .map(({ stdout }) => JSON.parse(stdout) as Answer); // our own protocol
}

describe.runIf(claude.ok)("the real Claude Code", () => {
  test("stops on what ran ahead: a failure blocks and a pass lets it go, each after one run", async () => {
    const gate = JSON.stringify("echo ran >> ../runs; ! grep -n bad a.txt");
    const settings = "run_ahead: { after: 0.1 }\nstop_hook: { when_active: enforce }\n";
    await using project = await projectOf(`${settings}checks:\n  words: ${gate}\n`);

    const run = await session(project, [
      { toolUse: { name: "Read", input: { file_path: `${project.root}/a.txt` } } },
      write(project, "bad\n"),
      doneAfter(project, 1),
      write(project, "good\n"),
      doneAfter(project, 3),
    ]);

    expect(answers(run).map(({ status }) => status)).toEqual(["failed", "passed"]);
    expect(answers(run)[1]?.message).toContain("run 3, ahead of this stop, passed");
    expect(project.read("../runs")).toBe("ran\nran\n");
    await expect.poll(() => survivors(project.root)).toEqual([]);
  });

  test("reads what a check finds in the file that it has just edited, once", async () => {
    const check = "{ command: 'grep -Hn bad {files} && exit 1 || exit 0', on: [edit] }";
    await using project = await projectOf(`checks:\n  words: ${check}\n`);

    const run = await session(project, [
      { toolUse: { name: "Read", input: { file_path: `${project.root}/a.txt` } } },
      write(project, "bad\n"),
      write(project, "good\n"),
      "Done.",
    ]);

    const told = run.requests.map(
      ({ messages }) => messages.filter(({ text }) => text.includes("checked the files you just")).length,
    );
    expect(told).toEqual([0, 0, 1, 1]);
    expect(answers(run).map(({ status }) => status)).toEqual(["passed"]);
  });
});
