import type { Socket } from "node:net";
import { detailOf } from "./pass-store.ts";
import { type Login, opening, openSocket } from "./redis-store.ts";
import { respCommand, RespReader, type RespValue } from "./resp.ts";

interface Asked {
  readonly command: string;
  readonly resolve: (value: RespValue) => void;
  readonly reject: (error: Error) => void;
}

interface ConnectionOptions {
  readonly url: string;
  readonly login: Login;
  readonly encoding?: BufferEncoding;
  readonly onLost?: () => void;
}

const CONNECT_MS = 3000;
const KEEP_ALIVE_MS = 5000;
const LONGEST_PAUSE_MS = 500;

/** Reconnects when Redis restarts and asks again what has no answer yet. So commands must be safe to repeat. */
export class RedisConnection implements Disposable {
  readonly #options: ConnectionOptions;
  #asked: Asked[] = [];
  readonly #unsent: string[] = [];
  #socket: Socket | undefined;
  #isOpen = false;
  #isOver = false;
  #tries = 0;
  problem: string | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    void this.#connect();
  }

  ask(...words: readonly (string | number)[]): Promise<RespValue> {
    const command = respCommand(words.map(String));
    return new Promise((resolve, reject) => {
      this.#asked.push({ command, resolve, reject });
      if (this.#isOpen && this.#unsent.push(command) === 1) queueMicrotask(() => this.#send());
    });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#socket?.destroy();
    this.#refuse(new Error("the connection was closed"));
  }

  #send(): void {
    this.#socket?.write(this.#unsent.splice(0).join(""));
  }

  async #connect(): Promise<void> {
    const { url, login, encoding } = this.#options;
    const socket = (this.#socket = openSocket(url));
    if (this.#isOver) return void socket.destroy();
    const first = opening(url, login);
    const reader = new RespReader(encoding);
    let toSkip = first.length;
    socket.setTimeout(CONNECT_MS, () => socket.destroy());
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on("error", (error) => (this.problem = detailOf(error))); // it is closed after it
    socket.on("close", () => this.#reconnect());
    socket.once(new URL(url).protocol === "rediss:" ? "secureConnect" : "connect", () => {
      socket.setTimeout(0);
      this.#isOpen = true;
      this.problem = undefined;
      socket.write([...first.map(respCommand), ...this.#asked.map(({ command }) => command)].join(""));
    });
    socket.on("data", (chunk) => {
      try {
        for (const value of reader.push(chunk)) toSkip = this.#take(value, toSkip);
      } catch {
        socket.destroy(); // what it says is no answer of Redis
      }
    });
  }

  /** Returns how many answers to our own opening commands are still to come. */
  #take(value: RespValue, toSkip: number): number {
    this.#tries = 0;
    const isLoading = value instanceof Error && value.message.startsWith("LOADING"); // it was restarted, and reads what it knew
    const isRefusal = value instanceof Error && toSkip > 0 && !isLoading;
    if (isRefusal) this.#refuse(value);
    if (isLoading || isRefusal) {
      this.#tries = LONGEST_PAUSE_MS;
      this.#socket?.destroy();
      return Infinity;
    }
    if (toSkip > 0) return toSkip - 1;
    const asked = this.#asked.shift();
    if (value instanceof Error) asked?.reject(value);
    else asked?.resolve(value);
    return 0;
  }

  #reconnect(): void {
    this.#isOpen = false;
    this.#options.onLost?.();
    if (this.#isOver) return;
    this.#tries += 1;
    setTimeout(() => void this.#connect(), Math.min(50 * this.#tries, LONGEST_PAUSE_MS));
  }

  #refuse(error: Error): void {
    for (const { reject } of this.#asked.splice(0)) reject(error);
  }
}
