import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What the model does when asked once: answer, or call a tool. */
export type ModelTurn = string | { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };

export interface FakeReviewerModel extends AsyncDisposable {
  readonly url: string;
  /** Bodies of the questions so far. */
  readonly questions: readonly string[];
  /** Names of the tools offered with the first question. */
  readonly tools: () => readonly string[];
}

/** A model on loopback for reviewers other than Claude Code: plays its turns in order, then repeats the last one. */
export async function startFakeReviewerModel(turns: readonly ModelTurn[]): Promise<FakeReviewerModel> {
  const questions: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response, (body) => turns[Math.min(questions.push(body), turns.length) - 1] ?? "").catch(
      (error: unknown) => response.destroy(error as Error), // rejections are Errors here
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${port}`,
    questions,
    tools: () => toolNames(JSON.parse(questions[0] ?? "{}") as QuestionBody), // a client's own request
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Next = (body: string) => ModelTurn;

async function answer(request: IncomingMessage, response: ServerResponse, next: Next): Promise<void> {
  const path = (request.url ?? "").replace(/\?.*/, "");
  const body = await text(request);
  if (path.endsWith("/responses")) send(response, responsesEvents(next(body)));
  else if (path.endsWith("/chat/completions")) send(response, chatEvents(next(body)));
  else if (/generateContent$/i.test(path)) send(response, geminiEvents(next(body)));
  else sendJson(response);
}

function responsesEvents(turn: ModelTurn): readonly object[] {
  const item =
    typeof turn === "string"
      ? {
          type: "message",
          role: "assistant",
          id: "m1",
          status: "completed",
          content: [{ type: "output_text", text: turn, annotations: [] }],
        }
      : {
          type: "function_call",
          id: "f1",
          call_id: "c1",
          name: turn.tool,
          arguments: JSON.stringify(turn.args),
          status: "completed",
        };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const response = {
    id: "r1",
    object: "response",
    created_at: 1,
    status: "completed",
    output: [item],
    usage,
  };
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
}

function chatEvents(turn: ModelTurn): readonly (object | string)[] {
  const said = typeof turn === "string" ? turn : "";
  const base = { id: "c1", object: "chat.completion.chunk", created: 1, model: "fake-model" };
  return [
    { ...base, choices: [{ index: 0, delta: { role: "assistant", content: said }, finish_reason: null }] },
    { ...base, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    "[DONE]",
  ];
}

function geminiEvents(turn: ModelTurn): readonly object[] {
  const part =
    typeof turn === "string"
      ? { text: turn }
      : { functionCall: { name: turn.tool, args: turn.args, id: "c1" } };
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  return [
    {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata,
    },
  ];
}

function send(response: ServerResponse, events: readonly (object | string)[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    if (typeof event === "object" && "type" in event) response.write(`event: ${String(event.type)}\n`);
    response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function sendJson(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      object: "list",
      data: [{ id: "fake-model", object: "model" }],
      models: [],
      totalTokens: 1,
    }),
  );
}

/** As much of a question as we look at, in any of the dialects. */
interface QuestionBody {
  readonly tools?: readonly {
    readonly name?: string;
    readonly type?: string;
    readonly function?: { readonly name: string };
    readonly functionDeclarations?: readonly { readonly name: string }[];
  }[];
}

function toolNames({ tools = [] }: QuestionBody): readonly string[] {
  return tools.flatMap(
    (tool) =>
      tool.functionDeclarations?.map(({ name }) => name) ?? [
        tool.name ?? tool.function?.name ?? tool.type ?? "",
      ],
  );
}
