import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import packageJson from "../../../package.json" with { type: "json" };
import { inTurn } from "../../in-turn.ts";
import type { RunEvent, RunRequest } from "../../run/request.ts";
import type { RunResult } from "../../run/result.ts";
import { isGreen, statusTitle } from "../../stop/status.ts";
import { verdictOf } from "../../stop/verdict.ts";
import { digestFailures } from "../../run/read-outcome.ts";
import { runAndRecord } from "../../run/run-and-record.ts";
import { withOwnCommand } from "../../system/process/runtime.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { EXIT } from "../../report/exit-code.ts";
import { capturing, type Terminal } from "../../report/terminal.ts";

export interface McpOptions {
  readonly project?: string;
}

interface ShownCommands {
  readonly statusCommand: ShownCommand;
  readonly explainCommand: ShownCommand;
}

type ShownCommand = (terminal: Terminal, options: object) => Promise<number>;

export async function mcpCommand(terminal: Terminal, options: McpOptions & ShownCommands): Promise<number> {
  using cancel = cancellation();
  const closing = new AbortController();
  const closed = new Promise((resolve) => closing.signal.addEventListener("abort", resolve));
  terminal.stdin.once("end", () => closing.abort());
  cancel.signal.addEventListener("abort", () => closing.abort());
  const project = { ...terminal, cwd: options.project ?? terminal.cwd };
  const server = serve(project, toolsWith(options), closing.signal);
  await server.connect(new StdioServerTransport(process.stdin, process.stdout));
  await closed;
  await server.close();
  return EXIT.ok;
}

function serve(terminal: Terminal, tools: readonly ServedTool[], signal: AbortSignal): Server {
  const oneByOne = inTurn();
  const server = new Server(
    { name: "agent-gauntlet", version: packageJson.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ call: _call, ...tool }) => tool),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    const { progressToken } = params._meta ?? {};
    const onEvent = reporter((progress) => {
      if (progressToken === undefined) return;
      const notification = {
        method: "notifications/progress",
        params: { progressToken, ...progress },
      } as const;
      extra.sendNotification(notification).catch(() => {}); // the client has gone; the run's own signal ends it
    });
    const whole = AbortSignal.any([extra.signal, signal]);
    return tool.call({ terminal, args: params.arguments ?? {}, signal: whole, onEvent, oneByOne });
  });
  return server;
}

const INSTRUCTIONS =
  "The gates of this project decide whether work is done. Call validate_completion before you say that you are done, and run_gates to check on the way.";

/** Reports each finished gate: a client resets its time limit with each. */
function reporter(
  tell: (progress: { progress: number; total?: number; message?: string }) => void,
): (event: RunEvent) => void {
  let [finished, total] = [0, 0];
  return (event) => {
    if (event.kind === "run-planned") total = event.plan.gates.length + event.guards;
    if (event.kind === "gate-finished") finished += 1;
    if (event.kind === "gate-finished") tell({ progress: finished, total, message: event.outcome.id });
  };
}

interface Call {
  readonly terminal: Terminal;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
  /** Runs one at a time: a second run would only meet the lock of the first. */
  readonly oneByOne: ReturnType<typeof inTurn>;
}

type ServedTool = Tool & { readonly call: (call: Call) => Promise<CallToolResult> };

const NO_INPUT = { type: "object", properties: {}, additionalProperties: false } as const;
const READ_ONLY = { readOnlyHint: true };

const toolsWith = ({ statusCommand, explainCommand }: ShownCommands): readonly ServedTool[] => [
  {
    name: "run_gates",
    description:
      "Runs the project's checks and reviews for the current changes and says what fails and where. A run of all gates that passes is remembered: stopping right after it runs nothing again.",
    inputSchema: {
      type: "object",
      properties: {
        gates: {
          type: "array",
          items: { type: "string" },
          description: "Only these gates, by name. Default: all.",
        },
      },
      additionalProperties: false,
    },
    call: async (call) => answerFor(call, await run(call, { gates: namesIn(call.args["gates"]) })),
  },
  {
    name: "gate_status",
    description: "Shows the last run gate by gate, open failures and attempts left. Runs nothing.",
    inputSchema: NO_INPUT,
    annotations: READ_ONLY,
    call: ({ terminal }) => printed(terminal, (capture) => statusCommand(capture, {})),
  },
  {
    name: "explain_last_stop",
    description: "Explains why the last stop in this project was blocked, allowed or deferred. Runs nothing.",
    inputSchema: NO_INPUT,
    annotations: READ_ONLY,
    call: ({ terminal }) => printed(terminal, (capture) => explainCommand(capture, {})),
  },
  {
    name: "validate_completion",
    description:
      "Says whether you may stop: runs the gates as the stop hook would, unless exactly this tree has passed before. Asking costs none of the attempts.",
    inputSchema: NO_INPUT,
    call: async (call) => {
      const result = await run(call, { isStop: true, budget: { spent: 0, max: Infinity } });
      return answerFor(call, result, headlineFor(result));
    },
  },
];

function headlineFor(result: RunResult): string {
  if (verdictOf(result).decision === "block") return "Do not stop yet.";
  return isGreen(result.status) ? "You may stop." : "The stop hook would let you stop, unchecked.";
}

function run({ terminal, signal, onEvent, oneByOne }: Call, more: Partial<RunRequest>): Promise<RunResult> {
  const { cwd, env } = terminal;
  return oneByOne(() => {
    signal.throwIfAborted(); // cancelled while it waited: nothing was run, and nobody reads the answer
    return runAndRecord({ cwd, env, signal, onEvent, ...more }, "mcp");
  });
}

/**
 * A failing gate is an answer, not an error. No `structuredContent`: with it, Claude Code (2.1.325, 2026-11-16) hides the text
 * from its model.
 */
async function answerFor({ terminal }: Call, result: RunResult, headline?: string): Promise<CallToolResult> {
  const { status, message } = result;
  const feedback = result.kind === "ran" ? result.feedback : undefined;
  const errorMessage = result.kind === "not-needed" ? undefined : result.errorMessage;
  const failures =
    feedback === undefined ? await digestFailures(terminal.cwd, result.outcomes, DIGEST_CHARS) : [];
  const details = failures.map(({ outcome, digest }) => `── ${outcome.id} ──\n${digest}`);
  const text = [headline, `Status: ${statusTitle(status)}`, errorMessage ?? message, feedback, ...details];
  return {
    ...say(text.filter((part) => part !== undefined).join("\n\n")),
    isError: status === "error" || result.kind === "troubled",
  };
}

const DIGEST_CHARS = 6_000;

function namesIn(gates: unknown): readonly string[] {
  return Array.isArray(gates) ? gates.filter((name) => typeof name === "string") : [];
}

async function printed(
  terminal: Terminal,
  command: (capture: Terminal) => Promise<number>,
): Promise<CallToolResult> {
  const kept = capturing(terminal);
  const code = await command(kept.terminal);
  return { ...say(kept.text()), isError: code !== EXIT.ok };
}

function say(text: string): CallToolResult {
  return { content: [{ type: "text", text: withOwnCommand(text) }] };
}
