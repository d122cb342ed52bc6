import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";

import { installClaudeCode, isolatedEnv } from "../rig/claude-code.ts";
import { type FakeAnthropicApi, type ModelScript, startFakeAnthropicApi } from "../rig/fake-anthropic-api.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const PTY = join(import.meta.dirname, "../rig/terminal.py");
const CHECK = `grep -q fixed status.txt || { echo "status.txt:1:1: error: must say fixed"; exit 1; }`;

const claude = await installClaudeCode();

test("Claude Code is here to be tested with", ({ skip }) => {
  if (!claude.ok) skip(claude.reason);
});

describe.runIf(claude.ok)("Claude Code on a terminal", () => {
  test("holds a teammate that wants to go idle until its budget is spent, and tells the user", async () => {
    await using project = await gatedProject("  on: [teammate_idle]\n");
    const input = { description: "sub", prompt: "do it", subagent_type: "general-purpose", name: "mate" };
    const script = {
      turns: [{ toolUse: { name: "Agent", input } }],
      subagentTurns: ["Done.", "Really.", "I like it.", "No."],
      fallback: "Waiting.",
    };

    const asked = await play(project, script, async () =>
      expect(await lastStop(project)).toEqual(["teammate_idle", "retry_limit_exceeded"]),
    );

    const mate = asked.filter(({ kind }) => kind === "subagent").map(({ last }) => last);
    expect(mate.slice(1)).toEqual([
      expect.stringContaining("Attempt 1 of 3"),
      expect.stringContaining("Attempt 2 of 3"),
      expect.stringContaining("Attempt 3 of 3"),
    ]);
  });

  test("is gated although an idle teammate stays in its list of running work", async () => {
    await using project = await gatedProject("");
    const input = { description: "sub", prompt: "do it", subagent_type: "general-purpose", name: "mate" };
    const script = {
      turns: [{ toolUse: { name: "Agent", input } }],
      subagentTurns: ["Done."],
      fallback: "I like it as it is.",
    };

    const asked = await play(project, script, async () =>
      expect(await lastStop(project)).toEqual(["stop", "retry_limit_exceeded"]),
    );

    expect(asked.filter(({ last }) => last.includes("must say fixed"))).not.toEqual([]);
  });

  test("wakes an agent that has stopped, as often as its budget allows", async () => {
    await using project = await gatedProject("  background: true\n");

    const asked = await play(project, { turns: [], fallback: "Done." }, async () =>
      expect(await lastStop(project)).toEqual(["stop", "retry_limit_exceeded"]),
    );

    expect(asked.map(({ last }) => /Attempt \d of 3/.exec(last)?.[0])).toEqual([
      undefined,
      "Attempt 1 of 3",
      "Attempt 2 of 3",
      "Attempt 3 of 3",
    ]);
  });
});

/** A project with a red check that never gets green, and hooks registered by our own `install`. */
async function gatedProject(stopHook: string): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": `stop_hook:\n  when_active: enforce\n${stopHook}checks:\n  test: ${JSON.stringify(CHECK)}\n`,
    "status.txt": "fixed\n",
  });
  await project.commit("start");
  await project.write({ "status.txt": "broken\n" });
  const installed = await project.gauntlet(["install", "--host", "claude-code"]);
  expect(installed.stdout).toContain("✓ Stop hook installed");
  return project;
}

/** What the last stop of this project was, and its result. */
async function lastStop(project: GauntletProject): Promise<readonly unknown[]> {
  const { event, verdict } = (await project.json(["explain"])) as {
    event?: { kind?: string };
    verdict?: { status: string };
  };
  return [event?.kind, verdict?.status];
}

/** Runs the client until the condition holds; returns what its models were asked. */
async function play(
  project: GauntletProject,
  script: ModelScript,
  condition: () => Promise<void>,
): Promise<FakeAnthropicApi["requests"]> {
  await acceptEverything(project);
  await using api = await startFakeAnthropicApi(script);
  const env = {
    ...isolatedEnv(project.home, api.url),
    TERM: "xterm-256color",
    CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
  };
  const args = [
    PTY,
    "50",
    "160",
    claude.ok ? claude.bin : "",
    "--dangerously-skip-permissions",
    "Do the task.",
  ];
  const child = spawn("python3", args, { cwd: project.root, env, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    await vi.waitFor(condition, { timeout: 90_000, interval: 500 });
    return [...api.requests];
  } finally {
    child.kill();
    await ended;
  }
}

/** The questions a first start asks, answered. */
async function acceptEverything(project: GauntletProject): Promise<void> {
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const files = {
    ".claude.json": {
      hasCompletedOnboarding: true,
      lastOnboardingVersion: "2.1.325",
      theme: "dark",
      bypassPermissionsModeAccepted: true,
      customApiKeyResponses: { approved: ["sk-ant-loopback"], rejected: [] },
      projects: { [project.root]: trusted },
    },
    ".claude/settings.json": { skipDangerousModePermissionPrompt: true },
  };
  await mkdir(join(project.home, "tmp"), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(project.home, name)), { recursive: true });
    await writeFile(join(project.home, name), JSON.stringify(content));
  }
}
