import type { Environment } from "../process/environment.ts";
import { LastBytes } from "./last-bytes.ts";

/**
 * Hides secrets in output on its way to a log, line by line: a secret may arrive in two chunks. Of a flood only the last bytes are
 * searched: searching takes 3 to 5 ms per megabyte, so a gate that prints 1 GB, which takes 1.7 s, would take 5 s.
 */
export class MaskedOutput {
  readonly #mask: (text: string) => string;
  readonly #write: (chunk: Buffer) => void;
  #rest = "";
  #seenBytes = 0;
  #waiting: LastBytes | undefined;
  #timer: NodeJS.Timeout | undefined;
  #bytesAtLastTick = 0;

  /** `mask` gets Latin-1, so that output in any encoding stays unchanged. */
  constructor(mask: (text: string) => string, write: (chunk: Buffer) => void) {
    this.#mask = mask;
    this.#write = write;
  }

  push(chunk: Buffer): void {
    const room = Math.max(0, HEAD_BYTES - this.#seenBytes);
    this.#seenBytes += chunk.length;
    if (room > 0) this.#take(chunk.subarray(0, room));
    if (chunk.length <= room) return;
    this.#waiting ??= new LastBytes(MOST_WAITING_BYTES);
    this.#waiting.push(chunk.subarray(room));
    this.#timer ??= setTimeout(() => this.#tick(), WAIT_MS);
  }

  end(): void {
    this.#flush();
    if (this.#rest !== "") this.#pass(this.#rest);
    this.#rest = "";
  }

  /** While more arrives than is kept, nothing is worth writing. */
  #tick(): void {
    this.#timer = undefined;
    const { seenBytes = 0, droppedBytes = 0 } = this.#waiting ?? {};
    const isFlood = droppedBytes > 0 && seenBytes > this.#bytesAtLastTick;
    this.#bytesAtLastTick = isFlood ? seenBytes : 0;
    if (isFlood) this.#timer = setTimeout(() => this.#tick(), WAIT_MS);
    else this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting === undefined) return;
    const lost = this.#waiting.droppedBytes;
    const parts = this.#waiting.take();
    let skipped = lost === 0 ? 0 : this.#endOfCutLine(parts);
    if (lost > 0) this.#noteGap(lost + skipped);
    for (const part of parts) {
      this.#takeInSlices(part.subarray(skipped));
      skipped = Math.max(0, skipped - part.length);
    }
  }

  /** The length of the rest of a line whose beginning was dropped. In an endless line, what is far from the cut may stay. */
  #endOfCutLine(parts: readonly Buffer[]): number {
    const start = Buffer.concat(parts.map((part) => part.subarray(0, LONGEST_LINE))).subarray(
      0,
      LONGEST_LINE,
    );
    const newline = start.indexOf(NEWLINE);
    if (newline !== -1) return newline + 1;
    return this.#placeToCut(start.toString("latin1")) ?? MOST_WAITING_BYTES;
  }

  /** Both halves of the cut line are dropped: each could be half a secret. Of a long line, what is far from the cut may stay. */
  #noteGap(lostBytes: number): void {
    const isLong = this.#rest.length > 2 * LONGEST_SECRET;
    const kept = isLong ? (this.#placeToCut(this.#rest) ?? 0) : 0;
    if (kept > 0) this.#pass(this.#rest.slice(0, kept));
    const dropped = lostBytes + this.#rest.length - kept;
    this.#rest = "";
    this.#take(Buffer.from(`\n[… ${dropped} bytes dropped …]\n`));
  }

  #takeInSlices(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) this.#take(bytes.subarray(at, at + SLICE_BYTES));
  }

  #take(chunk: Buffer): void {
    const text = this.#rest + chunk.toString("latin1");
    const isLong = text.length > LONGEST_LINE;
    const end = isLong ? (this.#placeToCut(text) ?? text.length) : text.lastIndexOf("\n") + 1;
    this.#rest = text.slice(end);
    if (end > 0) this.#pass(text.slice(0, end));
  }

  /**
   * An endless line must be cut, but never inside a secret: its halves would not be recognised. If all of it looks like one
   * secret, there is no such place.
   */
  #placeToCut(text: string): number | undefined {
    const whole = this.#mask(text);
    for (let tried = 0; tried < MOST_TRIES; tried++) {
      const cut = text.length - LONGEST_SECRET - tried * STEP;
      if (this.#mask(text.slice(0, cut)) + this.#mask(text.slice(cut)) === whole) return cut;
    }
    return undefined;
  }

  #pass(text: string): void {
    this.#write(Buffer.from(this.#mask(text), "latin1"));
  }
}

const NEWLINE = 0x0a;
const LONGEST_LINE = 1024 * 1024;
/** Also held back at a cut. */
const LONGEST_SECRET = 4096;
const MOST_TRIES = 64;
/** A prime: tries must not all meet a repeated secret at the same place. */
const STEP = 509;
/** What a log keeps of the start, less the note about what was dropped. */
const HEAD_BYTES = 2 * 1024 * 1024 - 4096;
/** What a log keeps of the end. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;
const WAIT_MS = 1000;
const SLICE_BYTES = 64 * 1024;

/** For the mask of a `MaskedOutput`: the bytes of every value as Latin-1. */
export function inLatin1(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value === undefined ? undefined : Buffer.from(value, "utf8").toString("latin1"),
    ]),
  );
}
