import type { AgentMcpServer, AgentSdkModule, McpToolAnswer } from "./agent-sdk.ts";
import {
  askValidator,
  findValidator,
  validateCompletion,
  validateCompletionTool,
  VALIDATE_COMPLETION_TOOL_NAME,
  ValidationResult,
} from "./validation.ts";
import type { HookContext } from "./hooks.ts";

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
