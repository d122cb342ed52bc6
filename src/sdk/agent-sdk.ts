import {
  askValidator,
  findValidator,
  validateCompletion,
  validateCompletionTool,
  VALIDATE_COMPLETION_TOOL_NAME,
  ValidationResult,
} from "./validation.ts";
import type { HookContext } from "./hooks.ts";

/*
 * The parts of `@anthropic-ai/claude-agent-sdk` that this package touches, by shape. The package itself is an optional
 * peer of several hundred megabytes: only `createValidateCompletionServer` loads it, when it is called.
 * test/e2e/agent-sdk.test.ts compiles these shapes against the real declarations (0.3.325).
 */

/** What the Agent SDK tells a hook; only the fields read here. */
export interface HookInput {
  readonly hook_event_name: string;
  readonly cwd?: string;
}

/** What a hook of this package answers: nothing, or a block with its reason. */
export interface HookOutput {
  decision?: "block";
  reason?: string;
}

/** An Agent SDK hook callback; fits `HookCallback` of `@anthropic-ai/claude-agent-sdk`. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookOutput>;

/** A group of callbacks for one event, with the time the Agent SDK gives them. */
export interface HookCallbackMatcher {
  hooks: HookCallback[];
  /** Seconds. */
  timeout?: number;
}

/** The hooks of this package; fits `options.hooks` of the Agent SDK's `query()`. */
export interface AgentHooks {
  Stop: HookCallbackMatcher[];
  PostToolUse: HookCallbackMatcher[];
  PostToolUseFailure: HookCallbackMatcher[];
}

/** An in-process MCP server; fits a value of `options.mcpServers` of the Agent SDK's `query()`. */
export interface AgentMcpServer {
  type: "sdk";
  name: string;
  /** Only to be handed on: its class belongs to the MCP SDK, on which this package does not depend. */
  instance: never;
}

/** What an in-process MCP tool answers; a type, because an interface does not fit the MCP SDK's open-ended one. */
export type McpToolAnswer = {
  content: { type: "text"; text: string }[];
  isError?: boolean;
};

/** The two functions of the Agent SDK that `createValidateCompletionServer` calls; what passes between them is its own business. */
export interface AgentSdkModule {
  tool(
    name: string,
    description: string,
    inputSchema: Record<string, never>,
    handler: () => Promise<McpToolAnswer>,
    extras: { annotations: { readOnlyHint: boolean } },
  ): object;
  createSdkMcpServer(options: { name: string; version: string; tools: object[] }): {
    type: "sdk";
    name: string;
    instance: object;
  };
}

/** The key to give the server in `options.mcpServers`; the model then sees `mcp__gauntlet__validate_completion`. */
export const COMPLETION_SERVER_NAME = "gauntlet";

/**
 * Offers `validate_completion` to the model, so that it can ask before it stops; asking costs none of the budget.
 * The only function that loads `@anthropic-ai/claude-agent-sdk`, which must be installed beside this package.
 */
export async function createValidateCompletionServer(context: HookContext): Promise<AgentMcpServer> {
  const sdk: AgentSdkModule = await import("@anthropic-ai/claude-agent-sdk");
  const ask = sdk.tool(
    VALIDATE_COMPLETION_TOOL_NAME,
    validateCompletionTool.description,
    {},
    () => answerModel(context),
    { annotations: { readOnlyHint: true } },
  );
  const server = sdk.createSdkMcpServer({ name: COMPLETION_SERVER_NAME, version: "1.0.0", tools: [ask] });
  // Opaque from here on; only the Agent SDK can say what an instance is.
  return server as AgentMcpServer;
}

async function answerModel(context: HookContext): Promise<McpToolAnswer> {
  const validator = findValidator(context) ?? validateCompletion;
  const answer = await askValidator(validator, context, { stopReason: context.stopReason ?? "end_turn" });
  if (answer.kind === "answered") return say(new ValidationResult(answer.outcome).render());
  context.log("warn", "validate_completion.validator_error", { error: answer.error });
  return { ...say(`The validator failed: ${answer.error}`), isError: true };
}

function say(text: string): McpToolAnswer {
  return { content: [{ type: "text", text }] };
}
