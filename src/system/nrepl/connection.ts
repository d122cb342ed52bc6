import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { BencodeDecoder, encode, type Encodable, type BencodeValue } from "./bencode.ts";

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface Lost {
  readonly kind: "lost";
  readonly detail: string;
}

export interface Answered {
  readonly kind: "answered";
  readonly last: Reply;
}

interface Conversation {
  readonly onReply: (reply: Reply) => void;
  readonly settle: (end: Answered | Lost) => void;
}

export class NreplConnection {
  readonly #socket: Socket;
  readonly #decoder = new BencodeDecoder();
  readonly #conversations = new Map<string, Conversation>();
  #lost: Lost | undefined;
  #requests = 0;

  static async open(address: ServerAddress, signal: AbortSignal): Promise<NreplConnection | Lost> {
    if (signal.aborted) return { kind: "lost", detail: "there was no time left to connect" };
    const socket = connect({ ...address, noDelay: true });
    const connection = new NreplConnection(socket);
    const giveUp = (): void => connection.#lose("it did not accept the connection in time");
    signal.addEventListener("abort", giveUp, { once: true });
    const connected = new Promise<void>((resolve) => socket.once("connect", resolve));
    await Promise.race([connected, new Promise((resolve) => socket.once("close", resolve))]);
    signal.removeEventListener("abort", giveUp);
    return connection.#lost ?? connection;
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("error", (error) => this.#lose(reasonOf(error)));
    socket.on("close", () => this.#lose("the server closed the connection"));
  }

  request(message: Readonly<Record<string, Encodable>>, onReply: (reply: Reply) => void = ignore): Request {
    const id = `${++this.#requests}`;
    const end = new Promise<Answered | Lost>((settle) => {
      if (this.#lost) return settle(this.#lost);
      this.#conversations.set(id, { onReply, settle });
      this.#socket.write(encode({ ...message, id }));
    });
    return { id, end };
  }

  /** nbb (1.6.214, 2026-11-15) dies if a connection is reset. */
  async close(withinMs: number): Promise<void> {
    if (this.#lost) return;
    const closed = once(this.#socket, "close");
    this.#socket.end();
    await Promise.race([closed, delay(withinMs, undefined, { ref: false })]);
    this.#lose("we closed the connection");
  }

  #take(chunk: Buffer): void {
    try {
      for (const value of this.#decoder.push(chunk)) this.#dispatch(replyFrom(value));
    } catch (error) {
      this.#lose(`it does not speak nREPL: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #dispatch(reply: Reply | undefined): void {
    const conversation = this.#conversations.get(reply?.id ?? "");
    if (reply === undefined || conversation === undefined) return;
    conversation.onReply(reply);
    if (!reply.status.includes("done")) return;
    this.#conversations.delete(reply.id ?? "");
    conversation.settle({ kind: "answered", last: reply });
  }

  #lose(detail: string): void {
    if (this.#lost) return;
    this.#lost = { kind: "lost", detail };
    this.#socket.destroy();
    for (const conversation of this.#conversations.values()) conversation.settle(this.#lost);
    this.#conversations.clear();
  }
}

export interface Request {
  readonly id: string;
  readonly end: Promise<Answered | Lost>;
}

/** A name with several addresses fails with several errors and an empty message. */
function reasonOf(error: Error): string {
  const [first]: unknown[] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : String(first);
}

function ignore(): void {}

export interface Reply {
  readonly id?: string;
  readonly status: readonly string[];
  readonly newSession?: string;
  readonly out?: string;
  readonly err?: string;
  readonly value?: string;
  readonly exception?: string;
}

function replyFrom(value: BencodeValue): Reply | undefined {
  if (!(value instanceof Map)) return undefined;
  // `instanceof` forgets what a map holds; the decoder makes no others.
  const message = value as ReadonlyMap<string, BencodeValue>;
  return {
    id: textOf(message.get("id")),
    newSession: textOf(message.get("new-session")),
    out: textOf(message.get("out")),
    err: textOf(message.get("err")),
    value: textOf(message.get("value")),
    exception: textOf(message.get("ex")),
    status: statusOf(message.get("status")),
  };
}

function textOf(value: BencodeValue | undefined): string | undefined {
  return Buffer.isBuffer(value) ? value.toString("utf8") : undefined;
}

/** Some servers send a single word instead of a list. */
function statusOf(value: BencodeValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.map(textOf).filter((word) => word !== undefined);
  const word = textOf(value);
  return word === undefined ? [] : [word];
}
