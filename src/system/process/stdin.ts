import { fstatSync } from "node:fs";
import { bun, type BunRuntime } from "./runtime.ts";

const PATIENCE_MS = 5_000;
/** A last message of a megabyte has been seen; this has not. */
const MAX_BYTES = 64 * 1024 * 1024;

/** After `letGo` it no longer keeps the process alive. */
interface StdinSource {
  readonly listen: (take: (piece: Buffer) => void, end: () => void) => void;
  readonly letGo: () => void;
}

/**
 * The JSON object that a host writes to stdin. A host may hold stdin open, so the text is complete at the closing brace, at the
 * end of input, or when patience ends.
 */
export async function readStdin(signal: AbortSignal): Promise<string> {
  const object = new ObjectText();
  const source = openStdin();
  if (source !== undefined) await takeUntilComplete(object, source, signal);
  return object.text();
}

/** Whether there was more than is read. */
export function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) >= MAX_BYTES;
}

export const TOO_LONG = `the event is too long: more than ${MAX_BYTES / 1024 ** 2} MB`;

class ObjectText {
  readonly #scanner = new ObjectScanner();
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  take(piece: Buffer): boolean {
    const end = this.#scanner.feed(piece);
    this.#pieces.push(end === undefined ? piece : piece.subarray(0, end));
    this.#bytes += piece.length;
    return end !== undefined || this.#bytes > MAX_BYTES;
  }

  /** Without the byte order mark that some shells on Windows write. */
  text(): string {
    const text = Buffer.concat(this.#pieces).toString("utf8");
    return text.replace(/^\uFEFF/, "").trim();
  }
}

function openStdin(): StdinSource | undefined {
  if (!mayBeWritten()) return undefined;
  return bun === undefined ? nodeStdin() : bunStdin(bun);
}

/** A pipe, a socket or a file. `process.stdin` would create the stream, `node:tty` is a module more. */
function mayBeWritten(): boolean {
  try {
    return !fstatSync(0).isCharacterDevice();
  } catch {
    return false; // it is closed
  }
}

function nodeStdin(): StdinSource | undefined {
  const { stdin } = process;
  if (stdin.readableEnded) return undefined;
  return {
    listen: (take, end) => void stdin.on("data", take).once("end", end).once("error", end),
    letGo: () => {
      stdin
        .removeAllListeners()
        .on("error", () => {})
        .pause();
      if ("unref" in stdin) stdin.unref();
    },
  };
}

/** `process.stdin` under Bun costs 3.5 ms more than this. */
function bunStdin({ stdin }: BunRuntime): StdinSource {
  const reader = stdin.stream().getReader();
  return {
    listen: (take, end) => void readAll(reader, take).then(end, end),
    letGo: () => void reader.cancel().catch(() => {}), // it may already be closed; without this, Bun reads on and stays
  };
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  take: (piece: Buffer) => void,
): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    take(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }
}

function takeUntilComplete(object: ObjectText, source: StdinSource, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(patience);
      signal.removeEventListener("abort", finish);
      source.letGo();
      resolve();
    };
    const patience = setTimeout(finish, PATIENCE_MS);
    signal.addEventListener("abort", finish, { once: true });
    source.listen((piece) => {
      if (object.take(piece)) finish();
    }, finish);
    if (signal.aborted) finish();
  });
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const NEWLINE = 0x0a;
const SPACE_AND_BELOW = 0x20;
const BYTE_ORDER_MARK = new Set([0xef, 0xbb, 0xbf]);

/**
 * Finds the end of the first JSON object in pieces cut anywhere. It works on bytes: none of JSON's own characters occurs inside
 * a longer UTF-8 sequence. Text that cannot become an object ends at its newline.
 */
class ObjectScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #seen: "nothing" | "object" | "other" = "nothing";

  feed(piece: Buffer): number | undefined {
    for (let at = 0; at < piece.length;) {
      if (this.#inString) at = this.#passString(piece, at);
      else if (this.#isEnd(piece[at++])) return at;
    }
    return undefined;
  }

  /** To behind the next quote: nearly all of a long event is strings, and byte by byte takes tenths of a second. */
  #passString(piece: Buffer, from: number): number {
    const quote = piece.indexOf(QUOTE, from);
    const end = quote < 0 ? piece.length : quote;
    let start = end;
    while (start > from && piece[start - 1] === BACKSLASH) start -= 1;
    const isEscaped = ((end - start) % 2 === 1) !== (start === from && this.#escaped);
    this.#escaped = quote < 0 && isEscaped;
    this.#inString = quote < 0 || isEscaped;
    return end + 1;
  }

  #isEnd(byte: number | undefined = 0): boolean {
    if (this.#seen === "object") return this.#readStructure(byte);
    if (this.#seen === "other") return byte === NEWLINE;
    if (byte === OPEN) {
      this.#seen = "object";
      this.#depth = 1;
    } else if (byte > SPACE_AND_BELOW && !BYTE_ORDER_MARK.has(byte)) this.#seen = "other";
    return false;
  }

  #readStructure(byte: number): boolean {
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN) this.#depth += 1;
    else if (byte === CLOSE) this.#depth -= 1;
    return this.#depth === 0;
  }
}
