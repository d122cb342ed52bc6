import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { vi } from "vitest";

import { CLI, type GauntletProject } from "../gauntlet-project.ts";
import { GAUNTLET } from "../program.ts";

/** The command line of an agent that does what its prompts say. */
const SCRIPTED_AGENT: readonly string[] = [process.execPath, join(import.meta.dirname, "agent.mjs")];

/** What starts our stop hook, for the steps of a scripted agent. */
export const STOP_HOOK: readonly string[] = [process.execPath, CLI, "stop-hook"];

export type Message = Readonly<Record<string, unknown>>;

export interface Answered {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

interface Start {
  /** Of the proxy; without it the client speaks to the agent itself. */
  readonly options?: readonly string[] | "no proxy";
  readonly agent?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the client answers to the agent's requests. */
  readonly serve?: (method: string, params: Message) => unknown;
}

/** A client of the Agent Client Protocol: an editor, as far as the agent sees. */
export class AcpClient implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** Every line that was read. */
  readonly lines: string[] = [];
  /** The updates of all sessions, in order. */
  readonly updates: (Message & { readonly sessionId: unknown })[] = [];
  readonly ended: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  stderr = "";
  readonly #waiting = new Map<unknown, (answer: Answered) => void>();
  #lastId = 0;

  constructor(project: GauntletProject, start: Start = {}) {
    const { options = [], agent = SCRIPTED_AGENT, env = {}, serve = () => ({}) } = start;
    const argv = options === "no proxy" ? agent : [...GAUNTLET, "acp", ...options, "--", ...agent];
    const [file = "", ...args] = argv;
    this.child = spawn(file, args, { cwd: project.root, env: { ...project.env(), ...env } });
    this.child.stdin.on("error", () => {});
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve) =>
      this.child.once("close", (exitCode, signal) => resolve({ exitCode, signal })),
    );
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      this.lines.push(line);
      this.#take(line, serve);
    });
  }

  /** With a session in the project's directory. */
  static async inSession(
    project: GauntletProject,
    start?: Start,
  ): Promise<{ readonly client: AcpClient; readonly session: string }> {
    const client = new AcpClient(project, start);
    await client.request("initialize", INITIALIZE);
    return { client, session: await client.open(project.root) };
  }

  async open(cwd: string): Promise<string> {
    const { result, error } = await this.request("session/new", { cwd, mcpServers: [] });
    if (result === undefined) throw new Error(`session/new: ${JSON.stringify(error)} ${this.stderr}`);
    return String(result["sessionId"]);
  }

  write(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  notify(method: string, params: Message): void {
    this.write(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  request(method: string, params: Message, id: number | string = (this.#lastId += 1)): Promise<Answered> {
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** Prompts with a text, or with what a scripted agent is to do. */
  prompt(sessionId: string, said: string | object, id?: number | string): Promise<Answered> {
    const text = typeof said === "string" ? said : JSON.stringify(said);
    return this.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }, id);
  }

  /** All that the agent, or the proxy, has said in a session. */
  said(sessionId: string): string {
    return this.updates
      .filter((one) => one.sessionId === sessionId && one["sessionUpdate"] === "agent_message_chunk")
      .map((one) => (one["content"] as { text: string }).text)
      .join("");
  }

  of(kind: string): readonly Message[] {
    return this.updates.filter((one) => one["sessionUpdate"] === kind);
  }

  async until(happened: () => boolean): Promise<void> {
    await vi.waitUntil(happened, { timeout: 60_000, interval: 20 });
  }

  #take(line: string, serve: NonNullable<Start["serve"]>): void {
    const message = parse(line);
    if (message === undefined) return;
    const { id, method, params } = message as { id?: unknown; method?: string; params?: Message };
    if (method === "session/update" && params !== undefined) {
      this.updates.push({ sessionId: params["sessionId"], ...(params["update"] as Message) });
    } else if (method !== undefined && id !== undefined) {
      this.write(JSON.stringify({ jsonrpc: "2.0", id, result: serve(method, params ?? {}) }));
    } else if (method === undefined) {
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin.end();
    await this.ended;
  }
}

export const INITIALIZE = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
  clientInfo: { name: "test", version: "1" },
};

function parse(line: string): Message | undefined {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return undefined;
  }
}
