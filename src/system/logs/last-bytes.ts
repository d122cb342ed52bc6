/** The last bytes of a stream, in memory that is allocated once: chunks that were kept would outlive many collections. */
export class LastBytes {
  readonly #ring: Buffer;
  #written = 0;

  constructor(capacity: number) {
    this.#ring = Buffer.allocUnsafe(capacity);
  }

  push(chunk: Buffer): void {
    const capacity = this.#ring.length;
    let rest = chunk.subarray(-capacity);
    this.#written += chunk.length - rest.length;
    while (rest.length > 0) {
      const at = this.#written % capacity;
      const copied = rest.copy(this.#ring, at);
      this.#written += copied;
      rest = rest.subarray(copied);
    }
  }

  get droppedBytes(): number {
    return Math.max(0, this.#written - this.#ring.length);
  }

  get seenBytes(): number {
    return this.#written;
  }

  text(): string {
    return Buffer.concat(this.take()).toString("utf8");
  }

  /** One or two parts, valid until the next push. */
  take(): readonly Buffer[] {
    const at = this.#written % this.#ring.length;
    const parts =
      this.droppedBytes > 0
        ? [this.#ring.subarray(at), this.#ring.subarray(0, at)]
        : [this.#ring.subarray(0, this.#written)];
    this.#written = 0;
    return parts;
  }
}
