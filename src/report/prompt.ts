import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { printLine, type Terminal } from "./terminal.ts";

/** What the user said; `cancelled` is Ctrl-C, Ctrl-D or the end of the input. */
export type Answer = "yes" | "no" | "cancelled";

/** Asks yes-or-no questions on a terminal. Reads stdin only while it exists. */
export class Prompt implements Disposable {
  readonly #terminal: Interface;
  readonly #lines: AsyncIterator<string>;
  readonly #stdout: Writable;
  readonly #closing = new AbortController();

  constructor(streams: { readonly stdin: Readable; readonly stdout: Writable }) {
    this.#stdout = streams.stdout;
    this.#terminal = createInterface({ input: streams.stdin, output: streams.stdout, terminal: true });
    this.#lines = this.#terminal[Symbol.asyncIterator]();
    this.#terminal.on("SIGINT", () => this.#terminal.close());
    this.#terminal.on("close", () => this.#closing.abort());
  }

  /** Aborts when no answer will come. On a terminal, Ctrl-C arrives here, not as a signal to the process. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Enter alone takes the default, which is shown as a capital letter; any other answer than yes or no is asked again. */
  async ask(question: string, otherwise: "yes" | "no"): Promise<Answer> {
    this.#terminal.setPrompt(`${question} ${otherwise === "yes" ? "(Y/n)" : "(y/N)"}: `);
    for (;;) {
      this.#terminal.prompt();
      const line = await this.#lines.next();
      if (line.done === true) return "cancelled";
      const answer = understood(line.value.trim().toLowerCase(), otherwise);
      if (answer !== undefined) return answer;
      this.#stdout.write("Please answer y or n.\n");
    }
  }

  [Symbol.dispose](): void {
    this.#terminal.close();
  }
}

function understood(word: string, otherwise: "yes" | "no"): "yes" | "no" | undefined {
  if (word === "") return otherwise;
  if (word === "y" || word === "yes") return "yes";
  return word === "n" || word === "no" ? "no" : undefined;
}

/** Asks on a terminal; elsewhere running the command is the answer. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (!terminal.isInteractive) return true;
  using prompt = new Prompt(terminal);
  const answer = await prompt.ask(question, "no");
  if (answer === "cancelled") printLine(terminal.stdout);
  return answer === "yes";
}
