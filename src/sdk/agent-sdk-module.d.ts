/* oxlint-disable typescript/consistent-type-imports -- an ambient module cannot import a relative one */

/** The Agent SDK is an optional peer that is not installed here; this is all that is asked of it at run time. */
declare module "@anthropic-ai/claude-agent-sdk" {
  export const tool: import("./agent-sdk.ts").AgentSdkModule["tool"];
  export const createSdkMcpServer: import("./agent-sdk.ts").AgentSdkModule["createSdkMcpServer"];
}
