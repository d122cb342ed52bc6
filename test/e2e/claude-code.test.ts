import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { type ClaudeCodeRun, installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import type { ScriptedTurn } from "../rig/fake-anthropic-api.ts";
import { type Answer, GauntletProject } from "../rig/gauntlet-project.ts";

import { GAUNTLET_LINE } from "../rig/program.ts";

const claude = await installClaudeCode();

const SETTINGS = ".claude/settings.local.json";
const CHECK = `grep -q fixed status.txt || { echo "status.txt:1:1: error: must say fixed"; exit 1; }`;
const FIX = bash("echo fixed > status.txt");

describe.runIf(claude.ok)("a gate that fails", () => {
  test("blocks, the model receives the reason, fixes the file with a tool, and may stop", async () => {
    await using project = await gatedProject("when_active: enforce");

    const run = await claudeCode(project, ["All done.", FIX, "Now it is fixed."]);

    expect(answers(run).map(({ status }) => status)).toEqual(["failed", "passed"]);
    expect(run.requests[1]?.last).toContain("Gauntlet gates did not pass");
    expect(run.requests[1]?.last).toMatch(/status\.txt:1:1:? error: must say fixed/);
    expect(run.requests).toHaveLength(3);
    expect(run).toMatchObject({ exitCode: 0, result: "Now it is fixed." });
    expect(project.read("status.txt")).toBe("fixed\n");
  });

  test("allows the second stop by default, and tells the user that nothing was verified", async () => {
    await using project = await gatedProject("when_active: allow");

    const run = await claudeCode(project, ["All done.", "I think it is fine."]);

    expect(answers(run).map(({ status }) => status)).toEqual(["failed", "stop_hook_active"]);
    expect(answers(run)[1]?.systemMessage).toContain("without checking the fix");
    expect(run.notices).toEqual([answers(run)[1]?.systemMessage]);
  });

  test("is given up by us before Claude Code overrides us, when the model never fixes it", async () => {
    await using project = await gatedProject("when_active: enforce", "max_retries: 20");

    const run = await claudeCode(project, [], { fallback: "I am done, really." });

    expect(answers(run).map(({ status }) => status)).toEqual([
      ...Array.from({ length: 7 }, () => "failed"),
      "retry_limit_exceeded",
    ]);
    expect(run.notices).toEqual([answers(run).at(-1)?.systemMessage]);
    expect(run.requests).toHaveLength(8);
    expect(run.exitCode).toBe(0);
  });

  test("still blocks after the model has changed into a subdirectory", async () => {
    await using project = await gatedProject("when_active: enforce");

    const run = await claudeCode(project, [
      bash("mkdir -p src/deep && cd src/deep && pwd"),
      "Done.",
      FIX_FROM_BELOW,
      "Fixed.",
    ]);

    expect(run.requests[1]?.last).toContain("src/deep");
    expect(answers(run).map(({ status }) => status)).toEqual(["failed", "passed"]);
  });

  test("blocks a session that was started in a subdirectory", async () => {
    await using project = await gatedProject("when_active: allow");
    await project.write({ "src/a.txt": "1" });

    const run = await claudeCode(project, ["Done."], { startIn: "src" });

    expect(answers(run)[0]).toMatchObject({ decision: "block", status: "failed" });
  });
});

describe.runIf(claude.ok)("the settings that init writes", () => {
  test("apply in a linked worktree too", async () => {
    await using project = await gatedProject("when_active: allow");
    await project.git("worktree", "add", "--quiet", "linked");
    await project.write({ "linked/status.txt": "broken there\n" });

    const run = await claudeCode(project, ["Done."], { startIn: "linked" });

    expect(answers(run)[0]).toMatchObject({ decision: "block", status: "failed" });
  });

  test("do not fire from a file with comments, which is why init says so", async () => {
    await using project = await changedProject();
    await project.write({ [SETTINGS]: "{\n  // mine\n}\n" });
    const init = await project.gauntlet(["init", "--hook"]);

    const run = await claudeCode(project, ["Done."]);

    expect(init.stderr).toContain("skips a settings file with comments");
    expect(answers(run)).toEqual([]);
  });

  test("are what makes the hook fire, and uninstall ends it", async () => {
    await using project = await changedProject();

    const before = await claudeCode(project, ["Done."]);
    await project.gauntlet(["init", "--hook"]);
    const installed = await claudeCode(project, ["Done."]);
    await project.gauntlet(["uninstall"]);
    const after = await claudeCode(project, ["Done."]);

    expect([before, installed, after].map((run) => answers(run).map(({ decision }) => decision))).toEqual([
      [],
      ["block", "approve"],
      [],
    ]);
    expect(project.has(".claude")).toBe(false);
  });

  test("call the bare command where that is on the PATH", async () => {
    await using project = await changedProject();
    const PATH = await pathWithCommand(project);
    await project.gauntlet(["init", "--hook"], { env: { PATH } });

    const run = await claudeCode(project, ["Done."], { env: { PATH } });

    expect(JSON.parse(project.read(SETTINGS))).toMatchObject({
      hooks: { Stop: [{ hooks: [{ type: "command", command: "agent-gauntlet stop-hook", timeout: 300 }] }] },
    });
    expect(answers(run)[0]).toMatchObject({ decision: "block", status: "failed" });
  });

  test("work beside hooks and settings that were there before", async () => {
    await using project = await changedProject();
    const own = { hooks: [{ type: "command", command: "touch own-hook-ran" }] };
    await project.write({ [SETTINGS]: JSON.stringify({ env: { A: "1" }, hooks: { Stop: [own] } }) });
    await project.gauntlet(["init", "--hook"]);

    const run = await claudeCode(project, ["Done."]);

    expect(project.has("own-hook-ran")).toBe(true);
    expect(answers(run)[0]).toMatchObject({ decision: "block", status: "failed" });
  });
});

describe.runIf(claude.ok)("a gate that takes too long", () => {
  const SLOW = "echo $$ > started; sleep 300 & sleep 300";

  test("leaves nothing running when Claude Code's timeout ends the hook", async () => {
    await using project = await gatedProject("when_active: allow", "", SLOW);
    await project.write({ [SETTINGS]: project.read(SETTINGS).replace('"timeout": 300', '"timeout": 6') });

    const run = await claudeCode(project, ["Done."]);

    expect(project.has("started")).toBe(true);
    expect(run).toMatchObject({ exitCode: 0, timedOut: false, result: "Done." });
    await nothingRuns(run);
  });

  test("is answered by us before the host's timeout, with nothing left running", async () => {
    await using project = await gatedProject("when_active: allow\n  timeout: 16", "", SLOW);

    const run = await claudeCode(project, ["Done."]);

    expect(project.has("started")).toBe(true);
    expect(answers(run)).toMatchObject([{ decision: "approve", status: "error" }]);
    expect(answers(run)[0]?.systemMessage).toBeDefined();
    await nothingRuns(run);
  });
});

test("Claude Code is here to be tested with", ({ skip }) => {
  if (!claude.ok) skip(claude.reason);
});

const FIX_FROM_BELOW = bash("cd ../.. && echo fixed > status.txt");

function bash(command: string): ScriptedTurn {
  return { toolUse: { name: "Bash", input: { command, description: "run" } } };
}

/** A repository with one failing check and the hook as `init` installs it. */
async function gatedProject(stopHook: string, more = "", check = CHECK): Promise<GauntletProject> {
  const project = await changedProject(
    `${more}\nstop_hook:\n  ${stopHook}\nchecks:\n  status: ${JSON.stringify(check)}\n`,
  );
  const init = await project.gauntlet(["init", "--hook"]);
  expect(init).toMatchObject({ exitCode: 0, stderr: "" });
  return project;
}

async function changedProject(
  config = `checks:\n  status: ${JSON.stringify(CHECK)}\n`,
): Promise<GauntletProject> {
  const project = await GauntletProject.create({ ".gauntlet/config.yml": config, "status.txt": "open\n" });
  await project.commit("start");
  await project.write({ "status.txt": "broken\n" });
  return project;
}

interface SessionOptions {
  readonly startIn?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the model says when it has nothing scripted to say. */
  readonly fallback?: string;
}

function claudeCode(
  project: GauntletProject,
  turns: readonly ScriptedTurn[],
  { startIn = ".", env = {}, fallback = "Done." }: SessionOptions = {},
): Promise<ClaudeCodeRun> {
  if (!claude.ok) throw new Error(claude.reason);
  return runClaudeCode({
    bin: claude.bin,
    project: join(project.root, startIn),
    turns,
    env,
    model: { fallback },
    timeoutMs: 90_000,
  });
}

/** What our stop hook answered, in order. */
function answers(run: ClaudeCodeRun): readonly Answer[] {
  return run.hooks
    .filter((hook) => hook.event === "Stop" && hook.stdout.startsWith("{"))
    .map((hook) => JSON.parse(hook.stdout) as Answer); // our own protocol
}

/** A host may still be reaping what it has just killed. */
async function nothingRuns(run: ClaudeCodeRun): Promise<void> {
  await vi.waitFor(async () => expect(await run.survivors()).toEqual([]), { timeout: 15_000, interval: 100 });
}

async function pathWithCommand(project: GauntletProject): Promise<string> {
  const bin = join(project.home, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "agent-gauntlet"), `#!/bin/sh\nexec ${GAUNTLET_LINE} "$@"\n`);
  await chmod(join(bin, "agent-gauntlet"), 0o755);
  return [bin, process.env["PATH"]].join(delimiter);
}
