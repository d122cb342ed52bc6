export type {
  AgentHooks,
  AgentMcpServer,
  HookCallback,
  HookCallbackMatcher,
  HookInput,
  HookOutput,
} from "./agent-sdk.ts";
export { COMPLETION_SERVER_NAME, createValidateCompletionServer } from "./agent-sdk.ts";
export { DEFAULT_MAX_STOP_RETRIES, HookContext, type HookContextInit, type HookLogger } from "./hooks.ts";
export { createHooks, type HooksOptions } from "./hooks.ts";
export { Session, type SliceAccessor, type SliceType } from "./session.ts";
export { createStopHook } from "./hooks.ts";
export { Todo, type TodoStatus } from "./session.ts";
export type { AnyTool, Tool, ToolContext, ToolHandler, ToolResult } from "./validation.ts";
export {
  completionTool,
  type CompletionTool,
  validateCompletion,
  validateCompletionTool,
  VALIDATE_COMPLETION_TOOL_NAME,
} from "./validation.ts";
export {
  type CompletionValidator,
  type ValidationOutcome,
  type ValidationParams,
  ValidationResult,
} from "./validation.ts";
export { commandValidator, type CommandValidatorOptions } from "./validators.ts";
export { compositeValidator } from "./validators.ts";
export { fileOutputValidator } from "./validators.ts";
export { gauntletValidator, type GauntletValidatorOptions } from "./validators.ts";
export { todoValidator } from "./validators.ts";
export { ClaudeAgentWorkspaceSection, type WorkspaceOptions } from "./workspace.ts";
export { WorkspaceBudgetExceededError, WorkspaceSecurityError } from "./workspace/host-mount.ts";
export type { HostMount, HostMountPreview } from "./workspace/host-mount.ts";
