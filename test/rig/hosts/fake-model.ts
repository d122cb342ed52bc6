import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What the model says to its n-th question (from 1), given the whole question as text. */
export type Answer = (question: number, body: string) => Said | Promise<Said>;

/** A text, or a call of the shell tool, which only the Gemini dialect speaks. */
type Said = string | { readonly shell: string };

export interface FakeModel extends AsyncDisposable {
  readonly url: string;
  /** The bodies of all questions of the conversation so far; requests for a title are left out. */
  readonly questions: readonly string[];
}

/**
 * A model on loopback that says plain text and calls no tools, so the agent wants to stop after every answer. Speaks as much
 * as the clients need of OpenAI Responses (Codex), OpenAI Chat (the others) and Gemini.
 */
export async function startFakeModel(answer: Answer): Promise<FakeModel> {
  const questions: string[] = [];
  const server = createServer((request, response) => {
    respond(request, response, async (body) =>
      isAside(body) ? "A title" : answer(questions.push(body), body),
    ).catch(
      (error: unknown) => response.destroy(error as Error), // rejections are Errors here
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${port}`,
    questions,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Clients ask for titles and summaries without offering tools; Grok Build offers them even then. */
function isAside(body: string): boolean {
  const isWithoutTools = body.includes('"messages"') && !body.includes('"tools"');
  return isWithoutTools || body.includes("<system-reminder>Write an ultra-short dashboard line");
}

type Ask = (body: string) => Promise<Said>;

async function respond(request: IncomingMessage, response: ServerResponse, ask: Ask): Promise<void> {
  const path = (request.url ?? "").replace(/\?.*/, "");
  const dialect = DIALECTS.find(({ route }) => route.test(path));
  if (request.method === "GET") {
    sendJson(response, { object: "list", data: [{ id: "fake-model", object: "model" }], models: [] });
  } else if (dialect === undefined) {
    sendJson(response, { totalTokens: 1 });
  } else {
    const body = await text(request);
    const said = await ask(body);
    const events = typeof said === "string" ? dialect.speak(said) : geminiEvents(shellCall(said.shell));
    if (body.includes('"stream":true') || path.includes("stream") || path.endsWith("/responses"))
      sendEvents(response, events);
    else sendJson(response, dialect.whole(events));
  }
}

interface Dialect {
  readonly route: RegExp;
  readonly speak: (said: string) => readonly StreamedEvent[];
  /** The same answer in one piece, for requests that do not stream. */
  readonly whole: (events: readonly StreamedEvent[]) => unknown;
}

interface StreamedEvent {
  readonly event?: string;
  readonly data: unknown;
}

const DIALECTS: readonly Dialect[] = [
  { route: /\/responses$/, speak: responsesEvents, whole: (events) => events.at(-1)?.data },
  { route: /\/chat\/completions$/, speak: chatEvents, whole: wholeChat },
  {
    route: /[gG]enerateContent$/,
    speak: (text) => geminiEvents({ text }),
    whole: (events) => events[0]?.data,
  },
];

function responsesEvents(said: string): readonly StreamedEvent[] {
  const item = {
    type: "message",
    role: "assistant",
    id: "msg_1",
    status: "completed",
    content: [{ type: "output_text", text: said, annotations: [] }],
  };
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  };
  const done = { id: "resp_1", object: "response", created_at: 1, status: "completed", model: "fake-model" };
  return [
    named("response.created", { response: { ...done, status: "in_progress", output: [] } }),
    named("response.output_item.added", { output_index: 0, item: { ...item, content: [] } }),
    named("response.output_item.done", { output_index: 0, item }),
    named("response.completed", { response: { ...done, output: [item], usage } }),
  ];
}

function named(type: string, fields: object): StreamedEvent {
  return { event: type, data: { type, ...fields } };
}

const CHAT = { id: "chat_1", object: "chat.completion.chunk", created: 1, model: "fake-model" };
const CHAT_USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function chatEvents(said: string): readonly StreamedEvent[] {
  return [
    { data: chatChunk({ role: "assistant", content: said }, null) },
    { data: chatChunk({}, "stop") },
    { data: { ...CHAT, choices: [], usage: CHAT_USAGE } },
    { data: "[DONE]" },
  ];
}

function chatChunk(delta: object, reason: string | null): object {
  return { ...CHAT, choices: [{ index: 0, delta, finish_reason: reason }] };
}

function wholeChat(events: readonly StreamedEvent[]): unknown {
  const first = events[0]?.data as { choices: [{ delta: object }] }; // made by chatEvents above
  const choices = [{ index: 0, message: first.choices[0].delta, finish_reason: "stop" }];
  return { ...CHAT, object: "chat.completion", choices, usage: CHAT_USAGE };
}

function shellCall(command: string): object {
  return { functionCall: { name: "run_shell_command", args: { command, description: "run" } } };
}

function geminiEvents(part: object): readonly StreamedEvent[] {
  return [
    {
      data: {
        candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
        modelVersion: "fake-model",
      },
    },
  ];
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function sendEvents(response: ServerResponse, events: readonly StreamedEvent[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const { event, data } of events) {
    if (event !== undefined) response.write(`event: ${event}\n`);
    response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}
