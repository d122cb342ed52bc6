import { expect, test } from "vitest";

import { installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import { installClient } from "../rig/client-cache.ts";
import { cleanEnv, CLI, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { NODE_22 } from "../rig/hosts/clients.ts";

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

  const session = await runClaudeCode({
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

  expect(session.requests[1]?.last).toContain("must say fixed");
  expect(session.requests[2]?.last).toContain("You may stop.");
  const stops = session.hooks.filter(({ event }) => event === "Stop");
  expect(stops.map(({ stdout }) => JSON.parse(stdout) as unknown)).toMatchObject([
    { decision: "approve", message: expect.stringContaining("nothing changed since run 2") },
  ]);
});

test("the MCP Inspector's client lists the tools, runs the gates and reads whether the agent may stop", async ({
  skip,
}) => {
  const inspector = await installClient({
    package: "@modelcontextprotocol/inspector",
    version: "2.12.0",
    command: "mcp-inspector",
  });
  const node = await installClient(NODE_22);
  if (!inspector.ok) return skip(inspector.reason);
  if (!node.ok) return skip(node.reason);
  await using project = await GauntletProject.withChecks({ ready: "grep -q fixed a.txt" }, { "a.txt": "" });
  await project.write({ "a.txt": "broken\n" });
  const ask = async (...method: readonly string[]): Promise<unknown> => {
    const server = ["--cli", process.execPath, CLI, "mcp", "--method", ...method];
    const env = { ...cleanEnv(project.home), TMPDIR: project.home };
    const asked = await run([node.bin, inspector.bin, ...server], { cwd: project.root, env });
    return JSON.parse(asked.stdout);
  };

  const listed = await ask("tools/list");
  const named = await ask("tools/call", "--tool-name", "run_gates", "--tool-arg", 'gates=["ready"]');
  const whole = await ask("tools/call", "--tool-name", "validate_completion");

  const names = ["run_gates", "gate_status", "explain_last_stop", "validate_completion"];
  expect(listed).toMatchObject({ tools: names.map((name) => ({ name })) });
  expect(named).toMatchObject({
    content: [{ text: expect.stringContaining("Status: Failed") }],
    isError: false,
  });
  expect(whole).toMatchObject({ content: [{ text: expect.stringContaining("Do not stop yet.") }] });
});
