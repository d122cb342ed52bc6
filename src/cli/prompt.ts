import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** What a person said; `cancelled` is Ctrl-C, Ctrl-D or the end of the input. */
export type Answer = "yes" | "no" | "cancelled";

/** Asks yes-or-no questions on a terminal. Reads stdin only while it exists. */
export class Prompt implements Disposable {
  readonly #terminal: Interface;
  readonly #lines: AsyncIterator<string>;
  /** Nobody answers any more. */
  isClosed = false;

  constructor(streams: { readonly stdin: Readable; readonly stdout: Writable }) {
    this.#terminal = createInterface({ input: streams.stdin, output: streams.stdout, terminal: true });
    this.#lines = this.#terminal[Symbol.asyncIterator]();
    this.#terminal.on("SIGINT", () => this.#terminal.close());
    this.#terminal.on("close", () => {
      this.isClosed = true;
    });
  }

  async ask(question: string): Promise<Answer> {
    this.#terminal.setPrompt(question);
    this.#terminal.prompt();
    const line = await this.#lines.next();
    if (line.done === true) return "cancelled";
    return /^y(?:es)?$/i.test(line.value.trim()) ? "yes" : "no";
  }

  [Symbol.dispose](): void {
    this.#terminal.close();
  }
}
