import { readdirSync, readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "vitest";

import { ControlledCommand } from "../rig/controlled-command.ts";
import { cleanEnv, CLI, GauntletProject } from "../rig/gauntlet-project.ts";

const RED = 'grep -q fixed state.txt || { echo "state.txt:1:1: error: must say fixed"; exit 1; }';

/** The MCP SDK's own client, connected to `agent-gauntlet mcp` in the project. */
async function connect(
  project: GauntletProject,
  args: readonly string[] = [],
  { cwd = project.root, program = CLI }: { cwd?: string; program?: string } = {},
): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp", ...args],
      cwd,
      env: cleanEnv(project.home),
      stderr: "ignore",
    }),
  );
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

async function redProject(config = ""): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks({ ready: RED, fine: "true" }, { "state.txt": "fixed\n" });
  if (config !== "") {
    await project.write({ ".gauntlet/config.yml": `${config}${project.read(".gauntlet/config.yml")}` });
    await project.commit("configure");
  }
  await project.write({ "state.txt": "broken\n" });
  return project;
}

/** The text of a tool's answer. */
function textOf(answer: unknown): string {
  const { content } = answer as { content: readonly { text: string }[] }; // all our answers are text
  return content.map(({ text }) => text).join("\n");
}

test("offers its tools, with what they take", async () => {
  await using project = await redProject();
  await using client = await connect(project);

  const { tools } = await client.listTools();

  expect(tools.map(({ name }) => name)).toEqual([
    "run_gates",
    "gate_status",
    "explain_last_stop",
    "validate_completion",
  ]);
  expect(tools.every(({ inputSchema }) => inputSchema.type === "object")).toBe(true);
  expect(client.getInstructions()).toContain("validate_completion");
});

test("runs the gates and says what fails, where", async () => {
  await using project = await redProject();
  await using client = await connect(project);

  const answer = await client.callTool({ name: "run_gates", arguments: {} });

  expect(answer).toMatchObject({ isError: false });
  expect(textOf(answer)).toMatch(/^Status: Failed\n[^]*\(1 of 2\)/);
  expect(textOf(answer)).toMatch(/state\.txt:1:1.*must say fixed/);
});

test("runs only the gates that are named, and refuses one that is not there", async () => {
  await using project = await redProject();
  await using client = await connect(project);

  const some = await client.callTool({ name: "run_gates", arguments: { gates: ["fine"] } });
  const none = await client.callTool({ name: "run_gates", arguments: { gates: ["nothing"] } });

  expect(textOf(some)).toMatch(/^Status: Passed\n[^]*only what was asked for ran: fine/);
  expect(none).toMatchObject({ isError: true });
  expect(textOf(none)).toContain('There is no gate "nothing". Known gates: ');
});

test("a run of everything that passes makes the stop that follows free", async () => {
  await using project = await redProject();
  await project.write({ "state.txt": "fixed again\n" });
  await using client = await connect(project);

  await client.callTool({ name: "run_gates", arguments: {} });
  const { answer } = await project.stop();

  expect(answer).toMatchObject({
    status: "passed",
    message: expect.stringContaining("nothing changed since run 1"),
  });
  expect(await project.json(["log"])).toMatchObject({
    verdicts: [{ door: "stop-hook" }, { door: "mcp", run: 1, whole: true, decision: null }],
  });
});

test("says whether the agent may stop, without spending its attempts", async () => {
  await using project = await redProject("stop_hook: { when_active: enforce }\n");
  await using client = await connect(project);

  const before = await client.callTool({ name: "validate_completion", arguments: {} });
  const { answer } = await project.stop();
  await project.write({ "state.txt": "fixed again\n" });
  const after = await client.callTool({ name: "validate_completion", arguments: {} });

  expect(textOf(before)).toMatch(/^Do not stop yet\.\n[^]*must say fixed/);
  expect(answer.reason).toContain("you can be sent back 2 more times");
  expect(textOf(after)).toMatch(/^You may stop\.\n/);
});

test("never tires of being asked, and says what the stop hook would where it checks nothing", async () => {
  await using project = await redProject("max_retries: 1\n");
  await using client = await connect(project);
  const ask = async (): Promise<string> =>
    textOf(await client.callTool({ name: "validate_completion", arguments: {} }));

  const answers = [await ask(), await ask(), await ask()];
  await project.write({
    ".gauntlet/config.yml": `${project.read(".gauntlet/config.yml")}stop_hook: { enabled: false }\n`,
  });
  const disabled = await ask();

  for (const answer of answers)
    expect(answer).toMatch(/^Do not stop yet\.\n[^]*── ready failed: exit code 1/);
  expect(answers.join("\n")).not.toMatch(/attempt/i);
  expect(disabled).toMatch(/^The stop hook would let you stop, unchecked\.\n[^]*disabled/);
});

test("shows where things stand and why the last stop ended as it did, without running anything", async () => {
  await using project = await redProject();
  await using client = await connect(project);

  const unknown = await client.callTool({ name: "explain_last_stop", arguments: {} });
  await project.stop();
  const status = await client.callTool({ name: "gate_status", arguments: {} });
  const explained = await client.callTool({ name: "explain_last_stop", arguments: {} });

  expect(unknown).toMatchObject({ isError: true });
  expect(textOf(unknown)).toContain("No stop in this project has been recorded");
  expect(textOf(status)).toContain("still failing: ready (since run 1)");
  expect(textOf(explained)).toContain("Blocked (failed)");
  expect(project.has("gauntlet_logs/console.2.log")).toBe(false);
});

test("serves a project that it was not started in, and says so where there is no project", async () => {
  await using project = await redProject();
  await using client = await connect(project, ["--project", project.root], { cwd: project.home });
  await using lost = await connect(project, [], { cwd: project.home });

  expect(textOf(await client.callTool({ name: "run_gates", arguments: {} }))).toContain("Status: Failed");
  expect(textOf(await lost.callTool({ name: "run_gates", arguments: {} }))).toContain(
    "No .gauntlet/config.yml in",
  );
});

test("calls that run gates wait for each other, also where one of them is cancelled", async () => {
  await using project = await redProject();
  await using client = await connect(project);
  const ask = (name: string, signal?: AbortSignal) =>
    client.callTool({ name, arguments: {} }, undefined, signal === undefined ? {} : { signal });
  const cancel = new AbortController();

  const first = ask("run_gates");
  const cancelled = expect(ask("run_gates", cancel.signal)).rejects.toThrow();
  const last = ask("validate_completion");
  cancel.abort();

  await cancelled;
  expect(textOf(await first)).toContain("Status: Failed");
  expect(textOf(await last)).toMatch(/^Do not stop yet\./);
  const log = await project.json(["log"]);
  expect(log["verdicts"]).toMatchObject([{ status: "failed" }, { status: "failed" }]);
});

test("names commands that work where the program is a dependency of the project", async () => {
  await using project = await GauntletProject.create();
  const modules = join(project.root, "node_modules");
  await mkdir(modules);
  await symlink(resolve(CLI, "../../.."), join(modules, "agent-gauntlet"));
  const program = join(modules, "agent-gauntlet/dist/cli/agent-gauntlet.cjs");
  await using client = await connect(project, [], { program });

  const answer = textOf(await client.callTool({ name: "run_gates", arguments: {} }));

  expect(answer).toContain("Run `npx agent-gauntlet init` to create one.");
});

test("reports each gate that has finished, and ends a run whose call is cancelled", async () => {
  await using command = await ControlledCommand.create();
  await using project = await GauntletProject.withChecks({ quick: "true", slow: command.command() });
  await project.write({ "a.txt": "1" });
  await using client = await connect(project);
  const cancelling = new AbortController();
  const seen: unknown[] = [];

  const call = client.callTool({ name: "run_gates", arguments: {} }, undefined, {
    signal: cancelling.signal,
    onprogress: (progress) => void seen.push(progress),
  });
  const started = await command.started();
  await expect.poll(() => seen).toEqual([{ progress: 1, total: 2, message: "check:.:quick" }]);
  cancelling.abort();

  await expect(call).rejects.toThrow();
  await started.gone;
});

test("nothing but the command itself loads the server", () => {
  const folder = join(dirname(CLI), "agent-gauntlet");
  const loaders = readdirSync(folder).filter((name) =>
    readFileSync(join(folder, name), "utf8").includes("./mcp.cjs"),
  );

  expect(loaders).toEqual(["command-table.cjs"]);
});
