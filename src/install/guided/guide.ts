import { Writable } from "node:stream";
import {
  cancel,
  confirm,
  intro,
  isCancel,
  log,
  multiselect,
  outro,
  select,
  updateSettings,
} from "@clack/prompts";
import type { Answer } from "../../report/prompt.ts";
import type { Terminal } from "../../report/terminal.ts";
import { wrapText } from "../../report/wrap.ts";
import { withOwnCommand } from "../../system/process/runtime.ts";

/** The columns of the line at the left. */
const BAR = 3;

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
  /** Shown, but not to be had. */
  readonly disabled?: boolean;
}

/** Whether lists to move around in can be shown: elsewhere questions are lines. */
export function canGuide({ stdin, stdout, env, isInteractive }: Terminal): boolean {
  return isInteractive && stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
}

/** Questions with lists to choose from, on a terminal. Undefined or `cancelled` is Esc, Ctrl-C or Ctrl-D. */
export class Guide {
  readonly #streams: { readonly input: Terminal["stdin"]; readonly output: Writable };
  readonly #stdout: Terminal["stdout"];

  constructor({ stdin, stdout, colours }: Terminal) {
    this.#stdout = stdout;
    this.#streams = { input: stdin, output: colours.isColorSupported ? stdout : withoutColours(stdout) };
    updateSettings({ aliases: { "\u0004": "cancel" } });
  }

  begin(title: string): void {
    intro(title, this.#streams);
  }

  end(text: string): void {
    outro(this.#wrapped(text), this.#streams);
  }

  cancel(text: string): void {
    cancel(text, this.#streams);
  }

  say(text: string): void {
    log.info(this.#wrapped(text), this.#streams);
  }

  step(text: string): void {
    log.step(this.#wrapped(text), this.#streams);
  }

  warn(text: string): void {
    log.warn(this.#wrapped(text), this.#streams);
  }

  /** A line of a list below the last heading. */
  line(text: string): void {
    for (const part of this.#wrapped(text).split("\n")) this.#streams.output.write(`│  ${part}\n`);
  }

  #wrapped(text: string): string {
    return wrapText(withOwnCommand(text), (this.#stdout.columns ?? 80) - BAR);
  }

  async ask(question: string, otherwise: "yes" | "no"): Promise<Answer> {
    const answer = await confirm({ message: question, initialValue: otherwise === "yes", ...this.#streams });
    if (isCancel(answer)) return "cancelled";
    return answer ? "yes" : "no";
  }

  async pick<T extends string>(question: string, choices: readonly Choice<T>[]): Promise<T | undefined> {
    const answer = await select<string>({ message: question, options: [...choices], ...this.#streams });
    return choices.find(({ value }) => value === answer)?.value;
  }

  /** All that can be had are chosen unless the user takes some out. */
  async choose<T extends string>(
    question: string,
    choices: readonly Choice<T>[],
    chosen: readonly T[],
  ): Promise<readonly T[] | undefined> {
    const answer = await multiselect<string>({
      message: question,
      options: [...choices],
      initialValues: [...chosen],
      required: false,
      ...this.#streams,
    });
    if (isCancel(answer)) return undefined;
    return choices.map(({ value }) => value).filter((value) => answer.includes(value));
  }

  /** Shows what goes on, with its seconds, until it is over; then only what came of it. */
  async during<T>(text: string, work: () => Promise<T>): Promise<T> {
    const { columns = 80 } = this.#stdout;
    let seconds = 0;
    const show = (): void => {
      const time = seconds === 0 ? "" : ` (${seconds} s)`;
      this.#streams.output.write(`\r\u001B[K│  … ${text.slice(0, columns - 20)}${time}`);
    };
    show();
    const ticking = setInterval(() => {
      seconds += 1;
      show();
    }, 1000);
    try {
      return await work();
    } finally {
      clearInterval(ticking);
      this.#streams.output.write("\r\u001B[K");
    }
  }
}

/** `styleText` of Node 20 knows nothing of NO_COLOR (v20.20, 2026-11-19). What moves the cursor stays. */
function withoutColours(stdout: Terminal["stdout"]): Writable {
  const plain = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      stdout.write(chunk.toString().replaceAll(COLOUR, ""));
      done();
    },
  });
  return Object.assign(plain, { isTTY: true, columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 });
}

// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001B\[[\d;]*m/g;
