import { execFile } from "node:child_process";
import { cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type * as GauntletSdk from "../../src/sdk/index.ts";
import type { AgentHooks, AgentMcpServer } from "../../src/sdk/index.ts";

import { installClaudeCode, isolatedEnv } from "./claude-code.ts";
import { installLibrary } from "./client-cache.ts";
import {
  type ModelRequest,
  type ModelScript,
  type ScriptedTurn,
  startFakeAnthropicApi,
} from "./fake-anthropic-api.ts";
import { tempDir } from "./temp-dir.ts";

/** The release whose types and behaviour the SDK is checked against. */
const AGENT_SDK = "@anthropic-ai/claude-agent-sdk@0.3.325";

/** A project that has installed this package, as packed, and the real Agent SDK. */
export interface AgentProject extends AsyncDisposable {
  readonly directory: string;
  /** `agent-gauntlet/sdk`, as that project imports it. */
  readonly gauntlet: typeof GauntletSdk;
  /** `query` of the Agent SDK. */
  readonly query: Query;
  /** The program that the Agent SDK drives. */
  readonly claude: string;
}

/** What of `query` the tests use. */
type Query = (request: {
  readonly prompt: string;
  readonly options: object;
}) => AsyncIterable<{ readonly type: string; readonly result?: string }>;

/**
 * The Agent SDK comes without its own copy of Claude Code: it drives the one that the other end-to-end tests run, which
 * is the same release.
 */
export async function createAgentProject(): Promise<AgentProject | { readonly unavailable: string }> {
  const library = await installLibrary(AGENT_SDK);
  if (!library.ok) return { unavailable: library.reason };
  const claude = await installClaudeCode();
  if (!claude.ok) return { unavailable: claude.reason };

  const project = await tempDir("agent-project-");
  const modules = join(project.path, "node_modules");
  await mkdir(modules);
  await symlink(join(library.directory, "node_modules/@anthropic-ai"), join(modules, "@anthropic-ai"));
  await unpackThisPackage(modules);
  return {
    directory: project.path,
    claude: claude.bin,
    gauntlet: (await load(join(modules, "agent-gauntlet/dist/sdk.mjs"))) as typeof GauntletSdk, // built from it
    query: ((await load(join(modules, "@anthropic-ai/claude-agent-sdk/sdk.mjs"))) as { query: Query }).query, // its main export
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

async function unpackThisPackage(modules: string): Promise<void> {
  const run = promisify(execFile);
  const packing = ["pack", "--ignore-scripts", "--silent", "--pack-destination", modules];
  const { stdout } = await run("npm", packing, { cwd: REPOSITORY });
  await run("tar", ["-xzf", stdout.trim()], { cwd: modules });
  await cp(join(modules, "package"), join(modules, "agent-gauntlet"), { recursive: true });
}

function load(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}

export interface QueryRequest {
  readonly hooks: AgentHooks;
  readonly turns: readonly ScriptedTurn[];
  /** A fresh directory when absent. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly mcpServers?: Readonly<Record<string, AgentMcpServer>>;
}

interface QueryRun {
  /** The last text of the model. */
  readonly result: string | undefined;
  /** What the model was asked in the main conversation. */
  readonly requests: readonly ModelRequest[];
}

/** One `query()` of the real Agent SDK, with a scripted model. */
export async function runQuery(project: AgentProject, request: QueryRequest): Promise<QueryRun> {
  await using directory = await tempDir("agent-sdk-cwd-");
  await using model = await startModel({ turns: request.turns });
  const options = {
    cwd: request.cwd ?? directory.path,
    hooks: request.hooks,
    mcpServers: request.mcpServers ?? {},
    env: { ...model.env, ...request.env },
    pathToClaudeCodeExecutable: project.claude,
    tools: ["Bash", "TodoWrite", "TaskCreate", "TaskUpdate"],
    permissionMode: "bypassPermissions",
    allowDangerouslySkipPermissions: true,
  };
  let result: string | undefined;
  for await (const message of project.query({ prompt: "Do the task.", options })) {
    if (message.type === "result") result = message.result;
  }
  return { result, requests: model.requests() };
}

interface LoopbackModel extends AsyncDisposable {
  /** In which Claude Code talks to this model alone. */
  readonly env: Readonly<Record<string, string>>;
  /** What it was asked in the main conversation so far. */
  requests(): readonly ModelRequest[];
}

/** A scripted model, and a home for a Claude Code that knows no other. */
export async function startModel(script: ModelScript): Promise<LoopbackModel> {
  const api = await startFakeAnthropicApi(script);
  const home = await tempDir("agent-sdk-home-");
  await mkdir(join(home.path, "tmp"));
  return {
    env: isolatedEnv(home.path, api.url),
    requests: () => api.requests.filter((request) => request.kind === "main"),
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}
