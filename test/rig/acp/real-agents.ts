import { dirname, join } from "node:path";
import { type InstalledClient, installClient } from "../client-cache.ts";
import { startFakeAnthropicApi } from "../fake-anthropic-api.ts";
import type { GauntletProject } from "../gauntlet-project.ts";
import {
  type Client,
  CODEX,
  COPILOT,
  DROID,
  GEMINI,
  GROK,
  KIMI,
  NODE_22,
  OPENCODE,
  PI,
  QWEN,
} from "../hosts/clients.ts";
import { startFakeModel } from "../hosts/fake-model.ts";
import { configureClient, installHost } from "../hosts/run-client.ts";
import { AcpClient } from "./client.ts";

/** A real agent that speaks ACP. */
export interface RealAgent {
  readonly client: Client;
  /** Its own command line, behind the program. */
  readonly args: readonly string[];
  readonly speaks?: "Anthropic";
  /** It runs its own stop hook under ACP, and asks again after a block. */
  readonly hasHook?: true;
  /** It mixes sessions that work at the same time: both tasks are in one conversation (2026-11-19). */
  readonly mixesSessions?: true;
  /** Another program that it starts, which must be on its PATH. */
  readonly starts?: Client;
}

const CLAUDE_CODE: Client = {
  host: "claude-code",
  release: { package: "@agentclientprotocol/claude-agent-acp", version: "0.100.0" },
  node: NODE_22,
  setUp: ({ modelUrl }) => ({
    args: [],
    env: {
      ANTHROPIC_API_KEY: "sk-ant-fake",
      ANTHROPIC_BASE_URL: modelUrl,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      IS_SANDBOX: "1",
    },
    files: {},
  }),
};

/** The adapter brings a Codex of its own. */
const CODEX_ACP: Client = {
  ...CODEX,
  release: { package: "@agentclientprotocol/codex-acp", version: "2.6.0" },
  node: NODE_22,
  setUp: (place) => {
    const { files, env } = CODEX.setUp(place);
    return { files, args: [], env: { ...env, OPENAI_API_KEY: "x" } };
  },
};

const PI_ACP: Client = { ...PI, release: { package: "pi-acp", version: "0.0.34" } };

export const REAL_AGENTS: readonly RealAgent[] = [
  { client: CLAUDE_CODE, args: [], speaks: "Anthropic", hasHook: true },
  { client: CODEX_ACP, args: [] },
  { client: GEMINI, args: ["--acp", "--yolo"], hasHook: true },
  { client: QWEN, args: ["--acp", "--yolo"], hasHook: true },
  { client: OPENCODE, args: ["acp"] },
  { client: KIMI, args: ["acp"] },
  { client: COPILOT, args: ["--acp", "--allow-all-tools", "--disable-builtin-mcps"], hasHook: true },
  { client: GROK, args: ["agent", "-m", "fake", "--always-approve", "stdio"], hasHook: true },
  {
    client: DROID,
    args: ["exec", "--output-format", "acp", "--skip-permissions-unsafe", "-m", "custom:fake-0"],
    hasHook: true,
    mixesSessions: true,
  },
  { client: PI_ACP, args: [], starts: PI },
];

export interface Running extends AsyncDisposable {
  readonly client: AcpClient;
}

export interface Script {
  /** What the model says, given its whole question as text. */
  readonly answer: (body: string) => string | Promise<string>;
  readonly skip: (reason: string) => void;
}

/** Starts the agent behind the proxy, in a project; undefined if it cannot be had. */
export async function startRealAgent(
  agent: RealAgent,
  project: GauntletProject,
  { answer, skip }: Script,
): Promise<Running | undefined> {
  const installed = await installHost(agent.client);
  const started = agent.starts === undefined ? undefined : await installAlone(agent.starts);
  const problem = [installed, started].find((one) => one?.ok === false);
  if (!installed.ok || problem?.ok === false) {
    skip(problem?.ok === false ? problem.reason : "");
    return undefined;
  }
  const model =
    agent.speaks === "Anthropic"
      ? await startFakeAnthropicApi({
          turns: [],
          fallback: ({ body }) => answer(JSON.stringify(body)),
        })
      : await startFakeModel((_question, body) => answer(body));
  const place = { home: project.home, project: project.root, modelUrl: model.url };
  await configureClient(agent.client, place);
  if (started?.ok === true)
    await project.writeProgram("pi", `#!/bin/sh\nexec '${started.via}' '${started.bin}' "$@"\n`);
  const via = installed.via === undefined ? [] : [installed.via];
  const path = [join(project.home, "bin"), ...via.map(dirname), project.env()["PATH"]].join(":");
  const client = new AcpClient(project, {
    agent: [...via, installed.bin, ...agent.args],
    env: { TMPDIR: project.home, NO_PROXY: "127.0.0.1", PATH: path, ...agent.client.setUp(place).env },
  });
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

async function installAlone(client: Client): Promise<InstalledClient & { readonly via?: string }> {
  const [installed, node] = [await installClient(client.release), await installClient(NODE_22)];
  return installed.ok && node.ok ? { ...installed, via: node.bin } : node.ok ? installed : node;
}
