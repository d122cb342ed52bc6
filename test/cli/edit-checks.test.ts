import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

/** Complains about each line with `bad`, as linters do. */
const LINT = `#!/bin/sh
for file in "$@"; do grep -n bad "$file" | sed "s|^\\([0-9]*\\):.*|$file:\\1:1: error: bad word|"; done > lint.out
cat lint.out
! grep -q . lint.out
`;

function config(more = ""): string {
  return `checks:\n  words:\n    command: sh lint.sh {files}\n    on: [edit]\n    files: ["*.txt"]\n${more}`;
}

async function projectWith(text: string): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": text,
    ".gitignore": "lint.out\nignored.txt\n",
    "lint.sh": LINT,
    "a.txt": "good\n",
    "b.txt": "good\n",
  });
  await project.commit("start");
  return project;
}

async function edited(
  project: GauntletProject,
  event: Readonly<Record<string, unknown>>,
  args: readonly string[] = [],
): Promise<string> {
  const payload = { session_id: "session-1", cwd: project.root, prompt_id: "p1", ...event };
  const done = await project.gauntlet(["edit-hook", ...args], { stdin: JSON.stringify(payload) });
  expect(done).toMatchObject({ exitCode: 0, stderr: "" });
  return done.stdout;
}

function batch(...files: readonly string[]): Readonly<Record<string, unknown>> {
  const tool_calls = files.map((file_path) => ({ tool_name: "Write", tool_input: { file_path } }));
  return { hook_event_name: "PostToolBatch", tool_calls };
}

function contextIn(stdout: string): string {
  const answer = JSON.parse(stdout) as { hookSpecificOutput: Record<string, string> };
  return answer.hookSpecificOutput["additionalContext"] ?? "";
}

describe("a check with `on: [edit]`", () => {
  test("tells the model what is wrong in just the edited files, once, and again when it comes back", async () => {
    await using project = await projectWith(config());
    await project.write({ "a.txt": "bad\n", "b.txt": "bad\n" });

    const first = await edited(project, batch(`${project.root}/a.txt`));
    const again = await edited(project, batch(`${project.root}/a.txt`));
    await project.write({ "a.txt": "good\n" });
    const fixed = await edited(project, batch("a.txt"));
    await project.write({ "a.txt": "fine\nbad\n" });
    const back = await edited(project, batch("a.txt"));

    expect(JSON.parse(first)).toMatchObject({ hookSpecificOutput: { hookEventName: "PostToolBatch" } });
    expect(contextIn(first)).toContain("a.txt:1:1 error: bad word");
    expect(contextIn(first)).not.toContain("b.txt");
    expect([again, fixed]).toEqual(["", ""]);
    expect(contextIn(back)).toContain("a.txt:2:1 error: bad word");
  });

  test("runs at the stop for everything that changed", async () => {
    await using project = await projectWith(config());
    await project.write({ "a.txt": "bad\n", "b.txt": "bad\n" });
    await edited(project, batch("a.txt"));

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(answer.reason).toContain("b.txt:1:1");
  });

  test("says nothing of files that are outside, ignored, read only, or not meant", async () => {
    await using project = await projectWith(config());
    await project.write({
      "ignored.txt": "bad\n",
      "a.md": "bad\n",
      "../outside.txt": "bad\n",
      "a.txt": "bad\n",
    });
    const read = { tool_name: "Read", tool_input: { file_path: "a.txt" }, hook_event_name: "PostToolUse" };

    expect(await edited(project, batch("ignored.txt", "a.md", "../outside.txt"))).toBe("");
    expect(await edited(project, read)).toBe("");
  });

  test("says nothing in plan mode, where the stop hook is off, or if it takes longer than edit_timeout", async () => {
    await using project = await projectWith(config());
    await project.write({ "a.txt": "bad\n" });
    expect(await edited(project, { ...batch("a.txt"), permission_mode: "plan" })).toBe("");

    const slow = `checks:\n  slow:\n    command: sleep 60; echo {files}\n    on: [edit]\n    edit_timeout: 0.2\n`;
    await project.write({ ".gauntlet/config.yml": slow });
    expect(await edited(project, batch("a.txt"))).toBe("");

    await project.write({ ".gauntlet/config.yml": `stop_hook: { enabled: false }\n${config()}` });
    expect(await edited(project, batch("a.txt"))).toBe("");
  });

  test("may fix the edited files if the project says so, and names those it changed", async () => {
    const fix = `    fix: sed -i s/bad/good/ {files}\n    edit_fix: true\n`;
    await using project = await projectWith(config(fix));
    await project.write({ "a.txt": "bad\n", "b.txt": "bad\n" });

    const told = contextIn(await edited(project, batch("a.txt")));

    expect(told).toContain("changed a.txt: read it again before you edit it");
    expect([project.read("a.txt"), project.read("b.txt")]).toEqual(["good\n", "bad\n"]);
  });

  test("reads the events of other agents, and answers in their words", async () => {
    await using project = await projectWith(config());
    await project.write({ "a.txt": "bad\n" });
    const ask = (session_id: string, event: object, args: readonly string[] = []) =>
      edited(project, { session_id, ...event }, args);
    const claudeBash = {
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "echo bad > a.txt" },
      tool_response: { bashEditDiff: { changedFiles: [`${project.root}/a.txt`] } },
    };
    const patch = { command: "*** Begin Patch\n*** Update File: a.txt\n+bad\n*** End Patch" };
    const codex = {
      hook_event_name: "PostToolUse",
      turn_id: "t",
      tool_name: "apply_patch",
      tool_input: patch,
    };
    const gemini = {
      hook_event_name: "AfterTool",
      tool_name: "write_file",
      tool_input: { file_path: "a.txt" },
    };
    const copilot = { toolName: "create", toolArgs: '{"path":"a.txt"}' };
    const kimi = { hook_event_name: "PostToolUse", tool_name: "Write", tool_input: { path: "a.txt" } };

    expect(contextIn(await ask("1", claudeBash))).toContain("a.txt:1:1");
    expect(contextIn(await ask("2", codex, ["--host", "codex"]))).toContain("a.txt:1:1");
    expect(contextIn(await ask("3", gemini, ["--host", "gemini"]))).toContain("a.txt:1:1");
    expect(await ask("4", copilot, ["--host", "copilot"])).toMatch(/^\{"additionalContext":".*a\.txt:1:1/);
    expect(await ask("5", kimi, ["--host", "kimi"])).toBe("");
  });
});

test("`on: [edit]` needs {files}", async () => {
  await using project = await projectWith("checks:\n  all: { command: make lint, on: [edit] }\n");

  const { stdout, stderr } = await project.gauntlet(["validate"]);

  expect(stdout + stderr).toContain("`edit` needs `{files}` in the command");
});

test("install registers the edit hook where a check asks for it, and takes it out again", async () => {
  await using project = await projectWith(config());
  await project.gauntlet(["install", "--host", "claude-code", "--yes"]);
  const settings = project.read(".claude/settings.local.json");
  expect(JSON.parse(settings)).toMatchObject({
    hooks: {
      PostToolBatch: [{ hooks: [{ command: expect.stringMatching(/ edit-hook$/) }] }],
      PostToolUse: [{ matcher: "Bash", hooks: [{ command: expect.stringMatching(/ edit-hook$/) }] }],
    },
  });
  expect(settings).not.toContain("async");

  await project.write({ ".gauntlet/config.yml": "run_ahead: true\nchecks:\n  test: 'true'\n" });
  await project.gauntlet(["install", "--host", "claude-code", "--yes"]);
  expect(JSON.parse(project.read(".claude/settings.local.json"))).toMatchObject({
    hooks: { PostToolBatch: [{ hooks: [{ async: true }] }], SessionEnd: [expect.anything()] },
  });

  await project.write({ ".gauntlet/config.yml": "checks:\n  test: 'true'\n" });
  await project.gauntlet(["install", "--host", "claude-code", "--yes"]);
  expect(project.read(".claude/settings.local.json")).not.toContain("edit-hook");
});
