import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface LoopbackModel extends AsyncDisposable {
  readonly url: string;
}

/** A model that is done with everything, on this machine only; `onAsked` gets the text of each request. */
export async function startLoopbackModel(onAsked: (text: string) => void): Promise<LoopbackModel> {
  const server = createServer((request, response) => void answer(request, response, onAsked));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  onAsked: (text: string) => void,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding was set
  const text = Buffer.concat(chunks).toString("utf8");
  onAsked(text);
  if (/"stream":\s*true/.test(text)) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of EVENTS) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  } else {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ ...MESSAGE, content: [{ type: "text", text: "Done." }], stop_reason: "end_turn" }),
    );
  }
}

const MESSAGE = {
  id: "msg_loopback",
  type: "message",
  role: "assistant",
  model: "loopback",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};

const EVENTS = [
  { type: "message_start", message: MESSAGE },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Done." } },
  { type: "content_block_stop", index: 0 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 1 },
  },
  { type: "message_stop" },
];
