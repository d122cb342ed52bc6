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

  /** What is there, and how much came before it; afterwards it is empty. */
  take(): { readonly bytes: Buffer; readonly droppedBytes: number } {
    const capacity = this.#ring.length;
    const at = this.#written % capacity;
    const droppedBytes = Math.max(0, this.#written - capacity);
    const bytes =
      droppedBytes > 0
        ? Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)])
        : Buffer.from(this.#ring.subarray(0, this.#written));
    this.#written = 0;
    return { bytes, droppedBytes };
  }
}
