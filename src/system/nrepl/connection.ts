import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { BencodeDecoder, encode, type Encodable, type BencodeValue } from "./bencode.ts";

/** Where a server listens. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Why the connection is gone. */
export interface Lost {
  readonly kind: "lost";
  readonly detail: string;
}

/** The reply that carries `done`. */
export interface Answered {
  readonly kind: "answered";
  readonly last: Reply;
}

interface Conversation {
  readonly onReply: (reply: Reply) => void;
  readonly settle: (end: Answered | Lost) => void;
}

/** One TCP connection to an nREPL server; requests and their replies are matched by id. */
export class NreplConnection {
  readonly #socket: Socket;
  readonly #decoder = new BencodeDecoder();
  readonly #conversations = new Map<string, Conversation>();
  #lost: Lost | undefined;
  #requests = 0;

  /** Connects; gives back why not when that fails or `signal` says stop. */
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

  /** Sends one request; settles at its `done`, or when the connection is lost. */
  request(message: Readonly<Record<string, Encodable>>, onReply: (reply: Reply) => void = ignore): Request {
    const id = `${++this.#requests}`;
    const end = new Promise<Answered | Lost>((settle) => {
      if (this.#lost) return settle(this.#lost);
      this.#conversations.set(id, { onReply, settle });
      this.#socket.write(encode({ ...message, id }));
    });
    return { id, end };
  }

  /** Ends the connection in good order: nbb (1.6.214, 2026-11-15) dies of one that is reset. */
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

/** A request under way. */
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

/** One message of a server, with the fields an evaluation needs. */
export interface Reply {
  readonly id?: string;
  readonly status: readonly string[];
  readonly newSession?: string;
  readonly out?: string;
  readonly err?: string;
  readonly value?: string;
  readonly exception?: string;
}

/** The reply in a bencode value; nothing where the value is no dictionary. */
function replyFrom(value: BencodeValue): Reply | undefined {
  if (!(value instanceof Map)) return undefined;
  // `instanceof` forgets what a map holds; the decoder makes no others.
  const message = value as ReadonlyMap<string, BencodeValue>;
  const fields = {
    id: textOf(message.get("id")),
    newSession: textOf(message.get("new-session")),
    out: textOf(message.get("out")),
    err: textOf(message.get("err")),
    value: textOf(message.get("value")),
    exception: textOf(message.get("ex")),
  };
  const present = Object.entries(fields).filter(([, text]) => text !== undefined);
  return { ...Object.fromEntries(present), status: statusOf(message.get("status")) };
}

function textOf(value: BencodeValue | undefined): string | undefined {
  return Buffer.isBuffer(value) ? value.toString("utf8") : undefined;
}

/** A list of words, by the letter of the protocol; a single word from some servers. */
function statusOf(value: BencodeValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.map(textOf).filter((word) => word !== undefined);
  const word = textOf(value);
  return word === undefined ? [] : [word];
}
