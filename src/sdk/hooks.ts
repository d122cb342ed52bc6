import type { AgentHooks, HookCallback, HookInput } from "./agent-sdk.ts";
import { timeLimit } from "../machine/process/time-limit.ts";
import type { HookContext } from "./hook-context.ts";
import { createStopHook } from "./stop-hook.ts";
import { type ToolUse, trackTodos } from "./track-todos.ts";

/** How `createHooks` registers its callbacks. */
export interface HooksOptions {
  /** Seconds the Agent SDK waits for the validator before it lets the agent stop; the SDK's own default when absent. */
  readonly timeout?: number;
}

/**
 * Everything to hand to `query({ options: { hooks } })`: the stop hook, and the two hooks that count tools and keep the
 * `Todo` slice for it.
 */
export function createHooks(context: HookContext, options: HooksOptions = {}): AgentHooks {
  const countTool = createToolHook(context);
  const timeout = options.timeout ?? SDK_TIMEOUT_SECONDS;
  return {
    Stop: [{ hooks: [withTimeout(createStopHook(context), timeout * 1000)], ...options }],
    PostToolUse: [{ hooks: [countTool] }],
    PostToolUseFailure: [{ hooks: [countTool] }],
  };
}

/** What the Agent SDK waits where it is told nothing (0.3.325). */
const SDK_TIMEOUT_SECONDS = 600;

/** Ends the question in time by our own clock: a validator that ignores its signal cannot hold the hook longer. */
function withTimeout(hook: HookCallback, ms: number): HookCallback {
  return (input, toolUseID, options) =>
    hook(input, toolUseID, { ...options, signal: timeLimit(ms, options?.signal) });
}

function createToolHook(context: HookContext): HookCallback {
  return (input: HookInput & ToolUse) => {
    const event = input.hook_event_name;
    if (event === "PostToolUse" || event === "PostToolUseFailure") context.toolCount += 1;
    if (event === "PostToolUse") trackTodos(context, input);
    return Promise.resolve({});
  };
}
