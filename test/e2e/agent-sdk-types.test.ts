import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createAgentProject } from "../rig/agent-sdk.ts";
import { typeErrors } from "../rig/type-errors.ts";

const SHAPES = fileURLToPath(new URL("../../src/sdk/agent-sdk.ts", import.meta.url));

const GIVEN = `
import type * as real from "@anthropic-ai/claude-agent-sdk";
import type * as ours from "agent-gauntlet/sdk";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { createHooks, createStopHook, createValidateCompletionServer, HookContext, Session } from "agent-gauntlet/sdk";
const context = new HookContext({ session: new Session() });
`;

const FITS = {
  "a stop hook is a HookCallback": `const hook: real.HookCallback = createStopHook(context);`,
  "hooks are options.hooks": `const hooks: NonNullable<real.Options["hooks"]> = createHooks(context);`,
  "hooks of one's own go beside them": `
    const hooks = createHooks(context);
    const all: real.Options["hooks"] = { ...hooks, Stop: [...hooks.Stop, { hooks: [async () => ({ continue: true })] }] };`,
  "the server is one of options.mcpServers": `
    const server = await createValidateCompletionServer(context);
    const servers: NonNullable<real.Options["mcpServers"]> = { gauntlet: server };`,
  "query takes all of it": `
    const mcpServers = { gauntlet: await createValidateCompletionServer(context) };
    query({ prompt: "", options: { cwd: "/", hooks: createHooks(context, { timeout: 60 }), mcpServers } });`,
  "every input of a real hook is an input of ours": `const take = (input: real.HookInput): ours.HookInput => input;`,
  "every answer of ours is an answer of a real hook": `const take = (output: ours.HookOutput): real.HookJSONOutput => output;`,
  "what is called at run time takes what it is given, and answers as assumed": `
    import type { AgentSdkModule, McpToolAnswer } from "${SHAPES}";
    const call = (sdk: typeof real, answer: () => Promise<McpToolAnswer>): ReturnType<AgentSdkModule["createSdkMcpServer"]> => {
      const tool = sdk.tool("name", "description", {}, answer, { annotations: { readOnlyHint: true } });
      return sdk.createSdkMcpServer({ name: "name", version: "1.0.0", tools: [tool] });
    };`,
};

const DOES_NOT_FIT = {
  "the stop event has no stopReason": [
    `const read = (input: real.StopHookInput) => input.stopReason;`,
    "TS2339: Property 'stopReason' does not exist",
  ],
  "needsMoreTurns is no answer": [
    `const output: real.SyncHookJSONOutput = { needsMoreTurns: true };`,
    "TS2353: Object literal may only specify known properties, and 'needsMoreTurns' does not exist",
  ],
  "our hooks cannot answer continue: false": [
    `const output: ours.HookOutput = { continue: false };`,
    "TS2353: Object literal may only specify known properties, and 'continue' does not exist",
  ],
  "a hook context is not options.hooks": [
    `const hooks: real.Options["hooks"] = context;`,
    "TS2559: Type 'HookContext' has no properties in common",
  ],
  "a server is to be awaited": [
    `const servers: NonNullable<real.Options["mcpServers"]> = { gauntlet: createValidateCompletionServer(context) };`,
    "TS2322: Type 'Promise<AgentMcpServer>' is not assignable to type 'McpServerConfig'",
  ],
} as const;

test("the types fit the real Agent SDK where they must and nowhere else", async ({ skip }) => {
  const project = await createAgentProject();
  if ("unavailable" in project) return skip(project.unavailable);
  onTestFinished(() => project[Symbol.asyncDispose]());
  const wrong = Object.entries(DOES_NOT_FIT).map(([name, [code]]) => [name, code] as const);
  const programs = { ...FITS, ...Object.fromEntries(wrong) };

  const errors = typeErrors(
    project.directory,
    Object.fromEntries(Object.entries(programs).map(([name, code]) => [name, GIVEN + code])),
  );

  for (const name of Object.keys(FITS)) expect.soft(errors[name], name).toEqual([]);
  for (const [name, [, error]] of Object.entries(DOES_NOT_FIT))
    expect.soft(errors[name], name).toEqual([expect.stringContaining(error)]);
});
