import { execFile } from "node:child_process";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test as anyTest } from "vitest";
import {
  type AgentProject,
  type QueryRequest,
  createAgentProject,
  runQuery,
  startModel,
} from "../rig/agent-sdk.ts";
import type { ScriptedTurn } from "../rig/fake-anthropic-api.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { stubEnvironment } from "../rig/stub-environment.ts";
import { tempDir } from "../rig/temp-dir.ts";
import { recordingLogger } from "../sdk/recording-logger.ts";

const created = await createAgentProject();

afterAll(async () => {
  if (!("unavailable" in created)) await created[Symbol.asyncDispose]();
});

const test = anyTest.extend<{ project: AgentProject }>({
  project: async ({ skip }, use) => {
    if ("unavailable" in created) return skip(created.unavailable);
    await use(created);
  },
});

test("an incomplete todo blocks and the reason reaches the model", async ({ project }) => {
  const { gauntlet } = project;
  const { todoValidator, Todo } = gauntlet;
  const agent = agentWith(project, { validator: todoValidator });

  const run = await agent.run({
    env: { CLAUDE_CODE_ENABLE_TASKS: "0" }, // the older tool that writes the whole list
    turns: [
      writeTodos(["Write", "completed"], ["Test", "in_progress"]),
      "I am done.",
      writeTodos(["Write", "completed"], ["Test", "completed"]),
      "Now I am done.",
    ],
  });

  expect(run.requests[2]?.last).toContain("1 todos remaining");
  expect(run.result).toBe("Now I am done.");
  expect(run.requests).toHaveLength(4);
  expect(agent.context.session.slice(Todo).all()).toHaveLength(2);
  expect(agent.context.toolCount).toBe(2);
});

test("an open task blocks until it is completed", async ({ project }) => {
  const agent = agentWith(project, { validator: project.gauntlet.todoValidator });

  const run = await agent.run({
    turns: [
      useTool("TaskCreate", { subject: "Test", description: "Run the tests." }),
      useTool("Bash", { command: "exit 3", description: "fail" }),
      "I am done.",
      useTool("TaskUpdate", { taskId: "1", status: "completed" }),
      "Now I am done.",
    ],
  });

  expect(run.requests[3]?.last).toContain("1 todos remaining");
  expect(run.result).toBe("Now I am done.");
  expect(agent.context).toMatchObject({ toolCount: 3, retryCount: 1, stopReason: "end_turn" });
});

test("the fourth stop goes through without a question, and with a warning", async ({ project }) => {
  const asked: number[] = [];
  const agent = agentWith(project, {
    validator: ({ retryCount }) => {
      asked.push(retryCount);
      return { message: "", value: { complete: false, reason: `not yet (${retryCount})` } };
    },
  });

  const run = await agent.run({ turns: ["one", "two", "three", "four", "five"] });

  expect(run.result).toBe("four");
  expect(asked).toEqual([0, 1, 2]);
  expect(run.requests.slice(1).map(({ last }) => /not yet \(\d\)/.exec(last)?.[0])).toEqual([
    "not yet (0)",
    "not yet (1)",
    "not yet (2)",
  ]);
  expect(agent.warnings()).toEqual(["stop_hook.max_retries_exceeded"]);
});

test("a throwing validator lets the agent stop, with a warning", async ({ project }) => {
  const agent = agentWith(project, {
    validator: () => {
      throw new Error("the validator is broken");
    },
  });

  const run = await agent.run({ turns: ["done"] });

  expect(run.result).toBe("done");
  expect(run.requests).toHaveLength(1);
  expect(agent.logger.lines).toContainEqual([
    "warn",
    "stop_hook.validator_error",
    { error: "the validator is broken" },
  ]);
});

test("a validator that hangs is left behind when the hook's time is up", async ({ project }) => {
  const agent = agentWith(project, { validator: () => new Promise(() => {}), timeout: 1 });

  const run = await agent.run({ turns: ["done"] });

  expect(run.result).toBe("done");
  expect(agent.warnings()).toEqual(["stop_hook.validator_error"]);
});

test("gauntletValidator blocks on a red check and allows after the fix", async ({ project }) => {
  const command = "grep -x 42 answer.txt || { echo 'error: the answer is wrong'; exit 1; }";
  await using repository = await GauntletProject.withChecks({ answer: command });
  await repository.write({ "answer.txt": "41\n" });
  stubEnvironment(repository.home);
  const agent = agentWith(project, {
    validator: project.gauntlet.gauntletValidator({ cwd: repository.root }),
  });

  const run = await agent.run({
    cwd: repository.root,
    turns: [
      "I am done.",
      useTool("Bash", { command: "echo 42 > answer.txt", description: "fix" }),
      "Now I am done.",
    ],
  });

  expect(run.requests[1]?.last).toContain("error: the answer is wrong");
  expect(run.requests).toHaveLength(3);
  expect(run.result).toBe("Now I am done.");
  expect(agent.context.retryCount).toBe(1);
  expect(agent.warnings()).toEqual([]);
});

test("a workspace is what the agent sees as its directory", async ({ project }) => {
  const { ClaudeAgentWorkspaceSection, createHooks, fileOutputValidator, Session } = project.gauntlet;
  await using host = await tempDir();
  await writeFile(join(host.path, "notes.txt"), "from the host");
  const workspace = new ClaudeAgentWorkspaceSection({
    session: new Session(),
    mounts: [{ hostPath: host.path, mountPath: "data" }],
    allowedHostRoots: [host.path],
    completionValidator: fileOutputValidator(["report.txt"]),
  });

  const run = await runQuery(project, {
    cwd: workspace.tempDir,
    hooks: createHooks(workspace.hookContext()),
    turns: [
      useTool("Bash", { command: "pwd; cat data/notes.txt", description: "look" }),
      "Done.",
      useTool("Bash", {
        command: "echo changed > data/notes.txt; cp data/notes.txt report.txt",
        description: "go",
      }),
      "Done.",
    ],
  });

  expect(run.requests[1]?.last).toContain(`${workspace.tempDir}\nfrom the host`);
  expect(run.requests[2]?.last).toContain("Output files are missing: report.txt");
  expect(run.requests).toHaveLength(4);
  expect((await readdir(workspace.tempDir)).toSorted()).toEqual(["data", "report.txt"]);
  expect(await readFile(join(host.path, "notes.txt"), "utf8")).toBe("from the host");
  workspace.cleanup();
});

test("the model may ask before it stops, and pays nothing for it", async ({ project }) => {
  const { createValidateCompletionServer, COMPLETION_SERVER_NAME } = project.gauntlet;
  const agent = agentWith(project, {
    validator: ({ toolCount }) => ({
      message: "",
      value: { complete: toolCount >= 2, reason: `${toolCount} tools used` },
    }),
  });
  const server = await createValidateCompletionServer(agent.context);
  const ask = useTool(`mcp__${COMPLETION_SERVER_NAME}__validate_completion`, {});

  const run = await agent.run({
    mcpServers: { [COMPLETION_SERVER_NAME]: server },
    turns: [ask, useTool("Bash", { command: "true", description: "work" }), ask, "Done."],
  });

  expect(run.requests.slice(1).map((request) => request.last)).toEqual([
    "[tool_result [incomplete] 0 tools used]",
    expect.stringContaining("[tool_result"),
    "[tool_result [complete] 2 tools used]",
  ]);
  expect(run.result).toBe("Done.");
  expect(agent.context.retryCount).toBe(0);
});

test("the example keeps its agent going until the tests pass", async ({ project }) => {
  const { directory, claude } = project;
  await cp(fileURLToPath(new URL("../../examples/agent-sdk", import.meta.url)), join(directory, "example"), {
    recursive: true,
  });
  const edit = {
    file_path: "price.js",
    old_string: "cents + rate",
    new_string: "Math.round(cents * (1 + rate))",
  };
  await using model = await startModel({
    turns: [
      "Looks fine to me.",
      useTool("Read", { file_path: "price.js" }),
      useTool("Edit", edit),
      "The price includes the tax now.",
    ],
  });

  const env = { ...model.env, CLAUDE_CODE_EXECUTABLE: claude };
  const { stdout } = await promisify(execFile)("node", ["agent.mjs"], {
    cwd: join(directory, "example"),
    env,
  });

  expect(model.requests()[1]?.last).toMatch(/`node --test` failed with exit code 1[\s\S]*1190/);
  expect(stdout).toContain(
    "The agent says: The price includes the tax now.\nStops blocked: 1, tools used: 2\n",
  );
  expect(await readdir(join(model.env["HOME"] ?? "", "tmp"))).not.toContainEqual(
    expect.stringContaining("agent-gauntlet-workspace-"),
  );
});

interface AgentOptions {
  readonly validator: Parameters<AgentProject["gauntlet"]["completionTool"]>[0];
  /** Seconds for the stop hook. */
  readonly timeout?: number;
}

function agentWith(project: AgentProject, { validator, ...options }: AgentOptions) {
  const { HookContext, Session, completionTool, createHooks } = project.gauntlet;
  const logger = recordingLogger();
  const context = new HookContext({ session: new Session(), tools: [completionTool(validator)], logger });
  const hooks = createHooks(context, options);
  return {
    context,
    logger,
    warnings: () => logger.lines.filter(([level]) => level === "warn").map(([, event]) => event),
    run: (request: Omit<QueryRequest, "hooks">) => runQuery(project, { ...request, hooks }),
  };
}

function useTool(name: string, input: Record<string, unknown>): ScriptedTurn {
  return { toolUse: { name, input } };
}

function writeTodos(...todos: readonly (readonly [content: string, status: string])[]): ScriptedTurn {
  const list = todos.map(([content, status]) => ({ content, status, activeForm: content }));
  return useTool("TodoWrite", { todos: list });
}
