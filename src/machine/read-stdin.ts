import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { ObjectScanner } from "../core/object-scanner.ts";
import { stdinSocket } from "./stdin-socket.ts";

const PATIENCE_MS = 5_000;
/** A last message of a megabyte is real; this is not. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Where the bytes of stdin come from. Once let go, it no longer keeps the process from ending. */
export interface StdinSource {
  readonly listen: (take: (piece: Buffer) => void, end: () => void) => void;
  readonly letGo: () => void;
}

/**
 * The text of the JSON object a host writes to our stdin: complete at its closing brace, at the end of the input, or when
 * patience ends, whichever comes first. A person at a terminal writes none. The host may hold stdin open for as long as it likes.
 */
export async function readStdin(signal: AbortSignal): Promise<string> {
  const object = new ObjectText();
  if (!takeWhatIsThere(object)) {
    const source = stdinSocket() ?? stdinStream();
    if (source !== undefined) await takeUntilComplete(object, source, signal);
  }
  return object.text();
}

/** The text of one JSON object that arrives in pieces. */
class ObjectText {
  readonly #scanner = new ObjectScanner();
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  /** Takes what belongs to the object; true when nothing more does. */
  take(piece: Buffer): boolean {
    const end = this.#scanner.feed(piece);
    this.#pieces.push(end === undefined ? piece : piece.subarray(0, end));
    this.#bytes += piece.length;
    return end !== undefined || this.#bytes > MAX_BYTES;
  }

  /** Without the byte order mark some shells on Windows put in front. */
  text(): string {
    return Buffer.concat(this.#pieces)
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .trim();
  }
}

/**
 * Takes what a host has already written, without waiting and without Node's streams; true when that is all. Works where stdin
 * is a pipe: a second, non-blocking way into it.
 */
function takeWhatIsThere(object: ObjectText): boolean {
  const fd = reopenStdin();
  if (fd === undefined) return false;
  try {
    for (;;) {
      const piece = Buffer.allocUnsafe(64 * 1024);
      const length = readSync(fd, piece);
      if (length === 0 || object.take(piece.subarray(0, length))) return true;
    }
  } catch {
    return false; // nothing more is there yet
  } finally {
    closeSync(fd);
  }
}

/** Only a pipe can be opened a second time; a socket refuses, and elsewhere than on Linux there is nothing to open. */
function reopenStdin(): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    if (!fstatSync(0).isFIFO()) return undefined; // a file would be read from its start again
    return openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

/** The way that works everywhere. */
function stdinStream(): StdinSource | undefined {
  const { stdin } = process;
  if (stdin.isTTY || stdin.readableEnded) return undefined;
  return {
    listen: (take, end) => void stdin.on("data", take).once("end", end).once("error", end),
    letGo: () => {
      stdin
        .removeAllListeners()
        .on("error", () => {})
        .pause();
      if ("unref" in stdin) stdin.unref(); // a file has nothing to let go of
    },
  };
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
