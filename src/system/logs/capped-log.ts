import { closeSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

export interface LogCap {
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** The start has the first error, the end the summary. */
const GATE_LOG_CAP: LogCap = { headBytes: 2 * 1024 * 1024, tailBytes: 8 * 1024 * 1024 };

/**
 * Keeps the head and the tail of what is written, and says what it dropped. The tail is a ring inside the file, so memory stays
 * flat. Writes are synchronous: the child waits for the disk, instead of us for its backlog.
 */
export class CappedLog {
  readonly #fd: number | undefined;
  readonly #cap: LogCap;
  #written = 0;
  #problem: string | undefined;

  constructor(path: string, options: Partial<LogCap> & { readonly fd?: number } = {}) {
    const { fd, headBytes = GATE_LOG_CAP.headBytes, tailBytes = GATE_LOG_CAP.tailBytes } = options;
    this.#cap = { headBytes, tailBytes };
    this.#fd = fd ?? this.#attempt(() => openSync(path, "wx+", 0o600));
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  write(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && this.#problem === undefined) {
      const { offset, room } = this.#nextPlace();
      this.#store(rest.subarray(0, room), offset);
      this.#written += Math.min(room, rest.length);
      rest = rest.subarray(room);
    }
  }

  close(): void {
    const fd = this.#fd;
    if (fd === undefined) return;
    const { headBytes, tailBytes } = this.#cap;
    const dropped = this.#written - headBytes - tailBytes;
    if (dropped > 0 && this.#problem === undefined) this.#attempt(() => this.#unroll(fd, dropped));
    this.#attempt(() => closeSync(fd));
  }

  #nextPlace(): { offset: number; room: number } {
    const { headBytes, tailBytes } = this.#cap;
    if (this.#written < headBytes) return { offset: this.#written, room: headBytes - this.#written };
    const turn = (this.#written - headBytes) % tailBytes;
    return { offset: headBytes + turn, room: tailBytes - turn };
  }

  #store(bytes: Buffer, offset: number): void {
    const fd = this.#fd;
    if (fd !== undefined) this.#attempt(() => writeFully(fd, bytes, offset));
  }

  /** The ring's newer part moves behind its older one; then both make room for the note. */
  #unroll(fd: number, dropped: number): void {
    const { headBytes, tailBytes } = this.#cap;
    const oldest = (this.#written - headBytes) % tailBytes;
    const gap = Buffer.from(`\n[… ${dropped} bytes dropped …]\n`);
    const tailAt = headBytes + gap.length;
    moveBytes(fd, { from: headBytes, to: headBytes + tailBytes, length: oldest });
    moveBytes(fd, { from: headBytes + oldest, to: tailAt, length: tailBytes });
    writeFully(fd, gap, headBytes);
    ftruncateSync(fd, tailAt + tailBytes);
  }

  /** The first failure counts. It does not change the gate's result. */
  #attempt<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.#problem ??= error instanceof Error ? error.message : String(error);
      return undefined;
    }
  }
}

const MOVED_AT_ONCE = 256 * 1024;

function moveBytes(
  fd: number,
  { from, to, length }: { readonly from: number; readonly to: number; readonly length: number },
): void {
  const buffer = Buffer.allocUnsafe(Math.min(length, MOVED_AT_ONCE));
  for (let done = 0; done < length; done += buffer.length) {
    const size = Math.min(buffer.length, length - done);
    const at = to < from ? done : length - done - size;
    readSync(fd, buffer, 0, size, from + at);
    writeFully(fd, buffer.subarray(0, size), to + at);
  }
}

function writeFully(fd: number, bytes: Buffer, offset: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
  }
}
