import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

interface ToolUse {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the model does when asked once: say something, call tools, be slow, or fail. */
interface Turn {
  readonly text?: string;
  readonly toolUse?: ToolUse | readonly ToolUse[];
  readonly delayMs?: number;
  readonly error?: { readonly status: number; readonly type?: string; readonly message?: string };
}

/** A turn, a bare text, or a function that decides (or waits) when the request is there. */
export type ScriptedTurn =
  string | Turn | ((request: ModelRequest) => string | Turn | Promise<string | Turn>);

export interface ModelScript {
  /** The conversation with the user, one turn for each request; a tool call is followed by the next turn. */
  readonly turns: readonly ScriptedTurn[];
  /** Workers started by the Agent tool. */
  readonly subagentTurns?: readonly ScriptedTurn[];
  /** When a list has run out. */
  readonly fallback?: ScriptedTurn;
  /** Requests without tools: titles, summaries, prompt hooks. */
  readonly aux?: ScriptedTurn;
}

type RequestKind = "main" | "subagent" | "aux";

/** One question the client put to the model. */
export interface ModelRequest {
  readonly kind: RequestKind;
  /** Whether the answer came from the script, not from the fallback. */
  readonly scripted: boolean;
  /** Tool calls and results are shown as `[tool_use …]` and `[tool_result …]`. */
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  /** The text of the newest message. */
  readonly last: string;
  readonly body: MessagesBody;
}

export interface FakeAnthropicApi extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Calls to anything but the Messages API, as `GET /path`. */
  readonly otherCalls: readonly string[];
}

/** A Messages API on loopback that plays a script and remembers what it was asked. */
export async function startFakeAnthropicApi(script: ModelScript): Promise<FakeAnthropicApi> {
  const model = new ScriptedModel(script);
  const server = createServer((request, response) => {
    model.answer(request, response).catch((error: unknown) => response.destroy(error as Error)); // rejections are Errors here
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${port}`,
    requests: model.requests,
    otherCalls: model.otherCalls,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  readonly otherCalls: string[] = [];
  readonly #script: ModelScript;
  #mainTurn = 0;
  #subagentTurn = 0;

  constructor(script: ModelScript) {
    this.#script = script;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    const path = new URL(request.url ?? "/", "http://loopback").pathname;
    if (request.method !== "POST" || path !== "/v1/messages") {
      this.otherCalls.push(`${request.method} ${path}`);
      return sendJson(response, path.endsWith("/count_tokens") ? 200 : 404, { input_tokens: 10 });
    }
    const body = JSON.parse(text) as MessagesBody; // the client's own request
    const kind = kindOf(body, request.headers);
    const next = this.#nextTurn(kind);
    const asked = recordOf(kind, body, next !== undefined);
    this.requests.push(asked);
    await play(await decide(next ?? this.#script.fallback ?? "Done.", asked), body, response);
  }

  #nextTurn(kind: RequestKind): ScriptedTurn | undefined {
    switch (kind) {
      case "main":
        return this.#script.turns[this.#mainTurn++];
      case "subagent":
        return this.#script.subagentTurns?.[this.#subagentTurn++];
      case "aux":
        return this.#script.aux ?? '{"title":"title"}';
    }
  }
}

async function decide(turn: ScriptedTurn, request: ModelRequest): Promise<Turn> {
  const decided = typeof turn === "function" ? await turn(request) : turn;
  return typeof decided === "string" ? { text: decided } : decided;
}

async function play(turn: Turn, body: MessagesBody, response: ServerResponse): Promise<void> {
  if (turn.delayMs !== undefined) await wait(turn.delayMs);
  if (turn.error !== undefined) {
    const { status, type = "api_error", message = "scripted error" } = turn.error;
    return sendJson(response, status, { type: "error", error: { type, message } });
  }
  const message = messageOf(turn, body);
  if (body.stream !== true) return sendJson(response, 200, message);
  sendEvents(response, message);
}

/** As much of a Messages API request as the rig looks at; the rest is kept as it came. */
interface MessagesBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly system?: string | readonly ContentBlock[];
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: Content }[];
}

type Content = string | readonly ContentBlock[];

interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly content?: Content;
  readonly is_error?: boolean;
}

function kindOf(body: MessagesBody, headers: IncomingHttpHeaders): RequestKind {
  if (body.tools === undefined || body.tools.length === 0) return "aux";
  const isWorker =
    headers["x-claude-code-agent-id"] !== undefined ||
    textOf(body.system ?? "").includes("You are an agent for Claude Code");
  return isWorker ? "subagent" : "main";
}

function recordOf(kind: RequestKind, body: MessagesBody, scripted: boolean): ModelRequest {
  const messages = body.messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  return { kind, scripted, messages, last: messages.at(-1)?.text ?? "", body };
}

function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.map(blockText).join("\n");
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text ?? "";
    case "tool_use":
      return `[tool_use ${block.name} ${JSON.stringify(block.input)}]`;
    case "tool_result":
      return `[tool_result ${block.is_error === true ? "ERROR " : ""}${textOf(block.content ?? "")}]`;
    default:
      return `[${block.type}]`;
  }
}

let issued = 0;

function newId(prefix: string): string {
  issued += 1;
  return `${prefix}_scripted_${issued}`;
}

type AnswerBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

function messageOf(turn: Turn, body: MessagesBody) {
  const tools = turn.toolUse === undefined ? [] : [turn.toolUse].flat();
  const content: AnswerBlock[] = [
    ...(turn.text === undefined ? [] : [{ type: "text", text: turn.text } as const]),
    ...tools.map((tool) => ({ type: "tool_use", id: newId("toolu"), ...tool }) as const),
  ];
  return {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model: body.model ?? "scripted",
    content,
    stop_reason: tools.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
}

function sendEvents(response: ServerResponse, message: ReturnType<typeof messageOf>): void {
  const send = (type: string, data: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  send("message_start", { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of message.content.entries()) {
    const [start, delta] = blockEvents(block);
    send("content_block_start", { index, content_block: start });
    send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  send("message_delta", {
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: message.usage,
  });
  send("message_stop", {});
  response.end();
}

function blockEvents(block: AnswerBlock): readonly [start: object, delta: object] {
  return block.type === "text"
    ? [
        { type: "text", text: "" },
        { type: "text_delta", text: block.text },
      ]
    : [
        { ...block, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
      ];
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding was set
  return Buffer.concat(chunks).toString("utf8");
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
