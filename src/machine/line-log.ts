import { appendFileSync } from "node:fs";

/** A log of whole lines. A disk that is full must not break the run it tells about, so what cannot be written is left out. */
export class LineLog {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  write(...lines: readonly string[]): void {
    if (lines.length === 0) return;
    try {
      appendFileSync(this.#path, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    } catch {
      // the run's own answer says what matters
    }
  }
}
