import type { HookContext } from "./hooks.ts";

/** What an execution knows, in slices: one list of values for each class. */
export class Session {
  readonly #slices = new Map<SliceType<unknown>, unknown>();

  /** The values of one class. */
  slice<T>(type: SliceType<T>): SliceAccessor<T> {
    // A slice is only ever stored under the class of its values.
    const known = this.#slices.get(type) as SliceAccessor<T> | undefined;
    if (known) return known;
    const slice = new Slice(type);
    this.#slices.set(type, slice);
    return slice;
  }
}

/** The class that names a slice. */
export type SliceType<T> = abstract new (...parameters: never[]) => T;

/** Reads and changes one slice of a session. What it hands out is frozen and never changes afterwards. */
export interface SliceAccessor<T> {
  all(): readonly T[];
  latest(): T | undefined;
  where(predicate: (value: T) => boolean): readonly T[];
  append(value: T): void;
  /** Replaces everything with one value or several. */
  seed(values: T | Iterable<T>): void;
  clear(): void;
}

class Slice<T> implements SliceAccessor<T> {
  readonly #type: SliceType<T>;
  #values: readonly T[] = Object.freeze([]);

  constructor(type: SliceType<T>) {
    this.#type = type;
  }

  all(): readonly T[] {
    return this.#values;
  }

  latest(): T | undefined {
    return this.#values.at(-1);
  }

  where(predicate: (value: T) => boolean): readonly T[] {
    return Object.freeze(this.#values.filter((value) => predicate(value)));
  }

  append(value: T): void {
    this.#values = Object.freeze([...this.#values, value]);
  }

  seed(values: T | Iterable<T>): void {
    this.#values = Object.freeze(this.#isOneValue(values) ? [values] : [...values]);
  }

  clear(): void {
    this.#values = Object.freeze([]);
  }

  #isOneValue(values: T | Iterable<T>): values is T {
    if (values instanceof this.#type) return true;
    return typeof values !== "object" || values === null || !(Symbol.iterator in values);
  }
}

/** How far a todo is. */
export type TodoStatus = "pending" | "in_progress" | "completed";

/** One item of the agent's own list; frozen. */
export class Todo {
  readonly content: string;
  readonly status: TodoStatus;
  /** The words for a todo in progress: "Running tests". */
  declare readonly activeForm?: string;
  /** The id the agent's task tools know it by; absent for the items of `TodoWrite`. */
  declare readonly taskId?: string;

  constructor(init: {
    readonly content: string;
    readonly status: TodoStatus;
    readonly activeForm?: string | undefined;
    readonly taskId?: string | undefined;
  }) {
    this.content = init.content;
    this.status = init.status;
    if (init.activeForm !== undefined) this.activeForm = init.activeForm;
    if (init.taskId !== undefined) this.taskId = init.taskId;
    Object.freeze(this);
  }
}

export interface ToolUse {
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly tool_response?: unknown;
  readonly agent_id?: unknown;
}

/** Keeps the session's `Todo` slice equal to the lists that the agent keeps with TodoWrite, TaskCreate and TaskUpdate. */
export function trackTodos(context: HookContext, use: ToolUse): void {
  const todos = context.session.slice(Todo);
  switch (use.tool_name) {
    case "TodoWrite":
      // A sub-agent writes its own list; tasks, on the other hand, are one list for the whole session.
      if (use.agent_id === undefined) todos.seed(writeList(todos.all(), use));
      return;
    case "TaskCreate":
      return createTask(context, use);
    case "TaskUpdate":
      todos.seed(updateTask(todos.all(), use));
  }
}

function writeList(todos: readonly Todo[], use: ToolUse): readonly Todo[] {
  const list = record(use.tool_input)["todos"];
  if (!Array.isArray(list)) return todos;
  const tasks = todos.filter((todo) => todo.taskId !== undefined);
  return [...tasks, ...list.map(readItem)];
}

function readItem(item: unknown): Todo {
  const { content, status, activeForm } = record(item);
  return new Todo({ content: text(content) ?? "", status: readStatus(status), activeForm: text(activeForm) });
}

function createTask(context: HookContext, use: ToolUse): void {
  const { subject, activeForm } = record(use.tool_input);
  const taskId = readTaskId(use.tool_response);
  if (taskId === undefined) {
    // Without its id no later update could complete it, and it would block every stop.
    context.log("warn", "todo_tracking.task_without_id", { subject });
    return;
  }
  const content = text(subject) ?? taskId;
  const todo = new Todo({ content, status: "pending", activeForm: text(activeForm), taskId });
  context.session.slice(Todo).append(todo);
}

function updateTask(todos: readonly Todo[], use: ToolUse): readonly Todo[] {
  const change = record(use.tool_input);
  const taskId = identifier(change["taskId"]);
  if (taskId === undefined || record(use.tool_response)["success"] === false) return todos;
  if (change["status"] === "deleted") return todos.filter((todo) => todo.taskId !== taskId);
  const before = todos.find((todo) => todo.taskId === taskId);
  // One that was created before this context, in a resumed conversation, is known by its id alone.
  if (!before)
    return [...todos, applyChange({ content: `Task ${taskId}`, status: "pending", taskId }, change)];
  return todos.map((todo) => (todo === before ? applyChange(before, change) : todo));
}

function applyChange(todo: Todo, { subject, status, activeForm }: Record<string, unknown>): Todo {
  return new Todo({
    content: text(subject) ?? todo.content,
    status: status === undefined ? todo.status : readStatus(status),
    activeForm: text(activeForm) ?? todo.activeForm,
    taskId: todo.taskId,
  });
}

/** `{ task: { id } }` in 0.3.325; other releases answer with a sentence such as "Task #4 created successfully". */
function readTaskId(response: unknown): string | undefined {
  if (typeof response === "string") return /#(\w+)/.exec(response)?.[1];
  return identifier(record(record(response)["task"])["id"]);
}

function identifier(id: unknown): string | undefined {
  return typeof id === "number" ? String(id) : text(id);
}

function readStatus(status: unknown): TodoStatus {
  return status === "completed" || status === "in_progress" ? status : "pending";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function record(value: unknown): Record<string, unknown> {
  // Any property of an object may be read; what comes out is unknown again.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
