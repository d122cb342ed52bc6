import { closeSync, constants, openSync, writeSync } from "node:fs";

/** A pipe in the place of the log must not make us wait for a reader. */
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_NONBLOCK ?? 0);

/** A log of whole lines. A disk that is full must not break the run it tells about, so what cannot be written is left out. */
export class LineLog implements Disposable {
  readonly #path: string;
  #fd: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  write(...lines: readonly string[]): void {
    if (lines.length === 0) return;
    try {
      this.#fd ??= openSync(this.#path, APPEND, 0o600);
      writeSync(this.#fd, lines.map((line) => `${line}\n`).join(""));
    } catch {
      // the run's own answer says what matters
    }
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
