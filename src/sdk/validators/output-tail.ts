/** Keeps the end of what a process prints, in bounded memory. */
export class OutputTail {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Twice the size before cutting, so that a long output is not copied for every chunk.
    if (this.#bytes > 2 * this.#maxBytes) this.#cut();
  }

  text(): string {
    this.#cut();
    return Buffer.concat(this.#chunks).toString("utf8");
  }

  #cut(): void {
    const kept = Buffer.concat(this.#chunks).subarray(-this.#maxBytes);
    this.#chunks = [kept];
    this.#bytes = kept.length;
  }
}
