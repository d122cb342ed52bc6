import { LastBytes } from "./last-bytes.ts";

/**
 * Hides secrets in output on its way to a log. Works line by line, for a secret may arrive in two chunks. Of what is printed
 * faster than anyone could read, only the last is kept from time to time: hiding costs more than printing.
 */
export class MaskedOutput {
  readonly #mask: (text: string) => string;
  readonly #write: (chunk: Buffer) => void;
  #rest = "";
  #seenBytes = 0;
  #waiting: LastBytes | undefined;
  #timer: NodeJS.Timeout | undefined;
  #bytesAtLastTick = 0;

  /** `mask` gets bytes as Latin-1 text, so that output in any encoding comes through unchanged. */
  constructor(mask: (text: string) => string, write: (chunk: Buffer) => void) {
    this.#mask = mask;
    this.#write = write;
  }

  push(chunk: Buffer): void {
    this.#seenBytes += chunk.length;
    if (this.#seenBytes <= HEAD_BYTES) {
      this.#take(chunk);
      return;
    }
    this.#waiting ??= new LastBytes(MOST_WAITING_BYTES);
    this.#waiting.push(chunk);
    this.#timer ??= setTimeout(() => this.#tick(), WAIT_MS);
  }

  end(): void {
    this.#flush();
    if (this.#rest !== "") this.#pass(this.#rest);
    this.#rest = "";
  }

  /** While more comes than is kept, none of it is worth writing yet. */
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
    let lost = this.#waiting.droppedBytes;
    for (const part of this.#waiting.take()) {
      const start = lost === 0 ? 0 : part.indexOf(NEWLINE) + 1;
      const isOfCutLine = lost > 0 && start === 0;
      if (isOfCutLine) lost += part.length;
      else {
        if (lost > 0) this.#noteGap(lost + start);
        lost = 0;
        this.#takeInSlices(part.subarray(start));
      }
    }
    if (lost > 0) this.#noteGap(lost);
  }

  /** The line that was cut is left out as a whole, both its halves: each could be that of a secret. */
  #noteGap(lostBytes: number): void {
    const dropped = lostBytes + this.#rest.length;
    this.#rest = "";
    this.#take(Buffer.from(`\n[… ${dropped} bytes dropped …]\n`));
  }

  #takeInSlices(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) this.#take(bytes.subarray(at, at + SLICE_BYTES));
  }

  #take(chunk: Buffer): void {
    const text = this.#rest + chunk.toString("latin1");
    const end = text.length > LONGEST_LINE ? this.#placeToCut(text) : text.lastIndexOf("\n") + 1;
    this.#rest = text.slice(end);
    if (end > 0) this.#pass(text.slice(0, end));
  }

  /** A line without an end must be cut somewhere, but never inside a secret: there the two halves would hide less than the whole. */
  #placeToCut(text: string): number {
    const whole = this.#mask(text);
    for (let cut = text.length - LONGEST_SECRET; cut > 0; cut -= LONGEST_SECRET / 8) {
      if (this.#mask(text.slice(0, cut)) + this.#mask(text.slice(cut)) === whole) return cut;
    }
    return text.length;
  }

  #pass(text: string): void {
    this.#write(Buffer.from(this.#mask(text), "latin1"));
  }
}

const NEWLINE = 0x0a;
const LONGEST_LINE = 1024 * 1024;
/** Also what is held back at a cut, for a secret that has only begun. */
const LONGEST_SECRET = 4096;
/** As much as a log keeps is always looked through and written at once. */
const HEAD_BYTES = 10 * 1024 * 1024;
/** What may wait is what a log keeps of the end, so that nothing is dropped here that it would have kept. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;
const WAIT_MS = 1000;
const SLICE_BYTES = 64 * 1024;

/** The environment as `mask` of a `MaskedOutput` meets it: the bytes of every value as Latin-1. */
export function inLatin1(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value === undefined ? undefined : Buffer.from(value, "utf8").toString("latin1"),
    ]),
  );
}
