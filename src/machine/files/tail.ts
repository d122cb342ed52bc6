/** Keeps the last bytes of a stream, however much flows through. */
export class TailBuffer {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  write(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > 2 * this.#maxBytes) this.#trim();
  }

  toString(): string {
    this.#trim();
    return Buffer.concat(this.#chunks).toString("utf8");
  }

  #trim(): void {
    if (this.#bytes <= this.#maxBytes) return;
    const kept = Buffer.from(Buffer.concat(this.#chunks).subarray(-this.#maxBytes));
    this.#chunks = [kept];
    this.#bytes = kept.length;
  }
}
