/** The last bytes of a stream, in memory that is allocated once: chunks that were kept would outlive many collections. */
export class LastBytes {
  readonly #ring: Buffer;
  #written = 0;

  constructor(capacity: number) {
    this.#ring = Buffer.allocUnsafe(capacity);
  }

  get isEmpty(): boolean {
    return this.#written === 0;
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

  /** What is there, in order and in pieces, and how much came before it; afterwards it is empty. */
  take(): { readonly pieces: readonly Buffer[]; readonly droppedBytes: number } {
    const capacity = this.#ring.length;
    const at = this.#written % capacity;
    const isFull = this.#written > capacity;
    const pieces = isFull
      ? [this.#ring.subarray(at), this.#ring.subarray(0, at)]
      : [this.#ring.subarray(0, this.#written)];
    const droppedBytes = isFull ? this.#written - capacity : 0;
    this.#written = 0;
    return { pieces, droppedBytes };
  }
}
