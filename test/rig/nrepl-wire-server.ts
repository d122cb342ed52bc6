import { createServer, type Socket, type AddressInfo } from "node:net";
import { once } from "node:events";
import { BencodeDecoder, encode, type Encodable } from "../../src/system/nrepl/bencode.ts";

/** One request as it came in, its strings as text. */
export type WireRequest = Readonly<Record<string, string>>;

/** What the script of a test may do with a request: answer it, or do anything else to the socket. */
export interface Wire {
  readonly socket: Socket;
  readonly send: (message: Readonly<Record<string, Encodable>>) => void;
}

/** A server on loopback that does exactly what its script says; `clone` and `close` are answered as a real one would. */
export async function nreplWireServer(script: (request: WireRequest, wire: Wire) => void) {
  const received: WireRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const decoder = new BencodeDecoder();
    const wire: Wire = { socket, send: (message) => socket.write(encode(message)) };
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      for (const request of decoder.push(chunk).map(asText)) {
        received.push(request);
        script(request, wire);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    // A listening TCP server has an address with a port.
    port: (server.address() as AddressInfo).port,
    received,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Answers `clone` like a real server and leaves the rest to `onEval`. */
export function answering(onEval: (request: WireRequest, wire: Wire) => void) {
  return (request: WireRequest, wire: Wire): void => {
    const id = request["id"] ?? "";
    if (request["op"] === "clone") wire.send({ id, "new-session": "session-1", status: ["done"] });
    if (request["op"] === "eval") onEval(request, wire);
  };
}

/** A port on loopback where nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function asText(value: unknown): WireRequest {
  if (!(value instanceof Map)) throw new Error("the client sent something that is no dictionary");
  return Object.fromEntries([...value].map(([key, item]) => [String(key), String(item)]));
}
