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
