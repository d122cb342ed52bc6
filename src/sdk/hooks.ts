import type { AgentHooks, HookCallback, HookInput } from "./agent-sdk.ts";
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
  return {
    Stop: [{ hooks: [createStopHook(context)], ...options }],
    PostToolUse: [{ hooks: [countTool] }],
    PostToolUseFailure: [{ hooks: [countTool] }],
  };
}

function createToolHook(context: HookContext): HookCallback {
  return (input: HookInput & ToolUse) => {
    const event = input.hook_event_name;
    if (event === "PostToolUse" || event === "PostToolUseFailure") context.toolCount += 1;
    if (event === "PostToolUse") trackTodos(context, input);
    return Promise.resolve({});
  };
}
