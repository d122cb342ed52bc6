import { expect, test } from "vitest";

import { installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import { CLI, GauntletProject } from "../rig/gauntlet-project.ts";

test("the real Claude Code asks the server before it stops, and the stop after a pass is free", async ({
  skip,
}) => {
  const claude = await installClaudeCode();
  if (!claude.ok) return skip(claude.reason);
  const check = `grep -q fixed status.txt || { echo "status.txt:1:1: error: must say fixed"; exit 1; }`;
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": `checks:\n  test: ${JSON.stringify(check)}\n`,
    "status.txt": "fixed\n",
  });
  await project.commit("start");
  await project.write({ "status.txt": "broken\n" });
  await project.gauntlet(["install", "--host", "claude-code"]);
  const mcpServers = { gauntlet: { command: process.execPath, args: [CLI, "mcp"] } };
  const ask = { toolUse: { name: "mcp__gauntlet__validate_completion", input: {} } };

  const run = await runClaudeCode({
    bin: claude.bin,
    project: project.root,
    args: ["--mcp-config", JSON.stringify({ mcpServers }), "--strict-mcp-config"],
    turns: [
      ask,
      async () => {
        await project.write({ "status.txt": "fixed again\n" });
        return ask;
      },
      "Done.",
    ],
  });

  expect(run.requests[1]?.last).toContain("must say fixed");
  expect(run.requests[2]?.last).toContain("You may stop.");
  const stops = run.hooks.filter(({ event }) => event === "Stop");
  expect(stops.map(({ stdout }) => JSON.parse(stdout) as unknown)).toMatchObject([
    { decision: "approve", message: expect.stringContaining("nothing changed since run 2") },
  ]);
});
