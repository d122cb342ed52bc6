import { expect, test } from "vitest";
import { installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const claude = await installClaudeCode();

test("a goal that is met ends, and the gates go on alone", async ({ skip }) => {
  if (!claude.ok) return skip(claude.reason);
  await using project = await GauntletProject.withChecks({ state: "! grep broken state.txt" });
  await project.gauntlet(["install", "--host", "claude-code"]);
  await project.write({ "state.txt": "broken\n" });
  const fix = { name: "Bash", input: { command: "echo fixed > state.txt", description: "fix" } };

  const run = await runClaudeCode({
    bin: claude.bin,
    project: project.root,
    prompt: "/goal the file says fixed",
    turns: ["Done.", { toolUse: fix }, "Fixed."],
    model: { aux: '{"ok": true, "reason": "it does"}' },
    home: project.home,
  });

  const stops = run.hooks.filter(({ event }) => event === "Stop");
  const ours = stops.filter(({ stdout }) => stdout.includes('"status"'));
  expect(ours.map(({ stdout }) => (JSON.parse(stdout) as { decision: string }).decision)).toEqual([
    "block",
    "approve",
  ]);
  expect(run.requests.some(({ last }) => last.includes("Gauntlet gates did not pass"))).toBe(true);
});
