import { expect, test } from "vitest";
import {
  type HookInput,
  completionTool,
  createHooks,
  HookContext,
  Session,
  Todo,
  todoValidator,
} from "../../src/sdk/index.ts";
import { recordingLogger } from "./recording-logger.ts";

test("registers a stop hook and the two hooks that see tools", () => {
  const hooks = createHooks(new HookContext({ session: new Session() }));

  expect(Object.keys(hooks)).toEqual(["Stop", "PostToolUse", "PostToolUseFailure"]);
});

test("gives the stop hook the configured time", () => {
  const context = new HookContext({ session: new Session() });

  expect(createHooks(context, { timeout: 900 }).Stop[0]?.timeout).toBe(900);
  expect(createHooks(context).Stop[0]).not.toHaveProperty("timeout");
});

test("a validator that ignores its signal holds the hook no longer than that", async () => {
  const logger = recordingLogger();
  const never = completionTool(() => new Promise(() => {}));
  const context = new HookContext({ session: new Session(), tools: [never], logger });
  const [stop] = createHooks(context, { timeout: 0.05 }).Stop[0]?.hooks ?? [];
  const input = { hook_event_name: "Stop" } as HookInput;

  const answer = await stop?.(input, undefined, { signal: new AbortController().signal });

  expect(answer).toEqual({});
  expect(JSON.stringify(logger.lines)).toContain("still running");
});

test("counts tools that worked and tools that failed", async () => {
  const rig = hooksRig();

  await rig.toolUsed("Bash", { command: "ls" });
  await rig.toolFailed("Bash");
  await rig.fire("PostToolUse", { hook_event_name: "PreToolUse" });

  expect(rig.context.toolCount).toBe(2);
});

test("keeps the list that TodoWrite writes, and the stop hook reads it", async () => {
  const rig = hooksRig();

  await rig.toolUsed("TodoWrite", { todos: [todo("a", "completed"), todo("b", "in_progress")] });
  expect(rig.todos()).toEqual(["a: completed", "b: in_progress"]);
  expect(await rig.fire("Stop", { hook_event_name: "Stop" })).toEqual({
    decision: "block",
    reason: "1 todos remaining",
  });

  await rig.toolUsed("TodoWrite", { todos: [todo("b", "completed")] });
  expect(rig.todos()).toEqual(["b: completed"]);
  expect(await rig.fire("Stop", { hook_event_name: "Stop" })).toEqual({});
});

test("ignores the list a sub-agent writes for itself", async () => {
  const rig = hooksRig();

  await rig.toolUsed("TodoWrite", { todos: [todo("mine", "pending")] });
  await rig.toolUsed("TodoWrite", { todos: [] }, { agent_id: "agent-1" });

  expect(rig.todos()).toEqual(["mine: pending"]);
  expect(rig.context.toolCount).toBe(2);
});

test("follows tasks from creation to completion", async () => {
  const rig = hooksRig();

  await rig.toolUsed(
    "TaskCreate",
    { subject: "Write", description: "…" },
    { tool_response: { task: { id: "1" } } },
  );
  await rig.toolUsed(
    "TaskCreate",
    { subject: "Test", description: "…" },
    { tool_response: "Task #2 created" },
  );
  await rig.toolUsed("TaskUpdate", { taskId: "2", status: "in_progress", subject: "Test it" });
  expect(rig.todos()).toEqual(["Write: pending", "Test it: in_progress"]);

  await rig.toolUsed("TaskUpdate", { taskId: "1", status: "deleted" });
  await rig.toolUsed("TaskUpdate", { taskId: "2", status: "completed" });
  expect(rig.todos()).toEqual(["Test it: completed"]);
});

test("keeps tasks when a todo list is written, and the other way round", async () => {
  const rig = hooksRig();

  await rig.toolUsed("TaskCreate", { subject: "Task" }, { tool_response: { task: { id: 7 } } });
  await rig.toolUsed("TodoWrite", { todos: [todo("item", "pending")] });
  await rig.toolUsed("TaskUpdate", { taskId: "7", status: "completed" });

  expect(rig.todos()).toEqual(["Task: completed", "item: pending"]);
});

test("does not believe an update that did not succeed", async () => {
  const rig = hooksRig();

  await rig.toolUsed("TaskCreate", { subject: "Task" }, { tool_response: { task: { id: "1" } } });
  const refused = { tool_response: { success: false, taskId: "1", updatedFields: [] } };
  await rig.toolUsed("TaskUpdate", { taskId: "1", status: "completed" }, refused);

  expect(rig.todos()).toEqual(["Task: pending"]);
});

test("learns of a task from before its time by the first update", async () => {
  const rig = hooksRig();

  await rig.toolUsed("TaskUpdate", { taskId: "9", status: "in_progress" });

  expect(rig.todos()).toEqual(["Task 9: in_progress"]);
});

test("leaves out a task whose id it cannot find, and says so", async () => {
  const rig = hooksRig();

  await rig.toolUsed("TaskCreate", { subject: "Lost" }, { tool_response: { ok: true } });

  expect(rig.todos()).toEqual([]);
  expect(rig.logger.lines).toEqual([["warn", "todo_tracking.task_without_id", { subject: "Lost" }]]);
});

test.each([
  ["TodoWrite", null],
  ["TodoWrite", { todos: "none" }],
  ["TaskUpdate", { status: "completed" }],
  ["TaskUpdate", 5],
  ["Bash", { todos: [todo("x", "pending")] }],
])("is not confused by %s with %j", async (tool, input) => {
  const rig = hooksRig();
  await rig.toolUsed("TodoWrite", { todos: [todo("kept", "pending")] });

  await rig.toolUsed(tool, input);

  expect(rig.todos()).toEqual(["kept: pending"]);
});

test("takes an item of unknown shape for something still to do", async () => {
  const rig = hooksRig();

  await rig.toolUsed("TodoWrite", { todos: [{ content: "x", status: "halfway" }, null] });

  expect(rig.todos()).toEqual(["x: pending", ": pending"]);
});

function todo(content: string, status: string): object {
  return { content, status, activeForm: `Doing ${content}` };
}

function hooksRig() {
  const logger = recordingLogger();
  const session = new Session();
  const context = new HookContext({ session, tools: [completionTool(todoValidator)], logger });
  const hooks = createHooks(context);
  const fire = async (event: keyof typeof hooks, input: HookInput) =>
    hooks[event][0]?.hooks[0]?.(input, undefined, { signal: new AbortController().signal });
  return {
    context,
    logger,
    fire,
    toolUsed: (tool_name: string, tool_input: unknown, more: object = {}) =>
      fire("PostToolUse", { hook_event_name: "PostToolUse", tool_name, tool_input, ...more } as HookInput),
    toolFailed: (tool_name: string) =>
      fire("PostToolUseFailure", { hook_event_name: "PostToolUseFailure", tool_name } as HookInput),
    todos: () =>
      session
        .slice(Todo)
        .all()
        .map((item) => `${item.content}: ${item.status}`),
  };
}
