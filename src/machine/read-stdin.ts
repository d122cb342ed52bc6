import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { ObjectScanner } from "../core/object-scanner.ts";

const PATIENCE_MS = 5_000;
/** A last message of a megabyte is real; this is not. */
const MAX_BYTES = 64 * 1024 * 1024;

/** What was read before the process had to wait: an object's whole text, or the first bytes of one. */
export type Beginning = { readonly kind: "complete"; readonly text: string } | PartialText;

interface PartialText {
  readonly kind: "partial";
  readonly pieces: readonly Buffer[];
  readonly scanner: ObjectScanner;
}

/**
 * Takes what a host has already written, without waiting and without Node's streams, which cost a fifth of Node's own
 * start. Works where stdin is a pipe: a second, non-blocking way into it. Anything else is left for `readObjectText`.
 */
export function readAtOnce(): Beginning {
  const scanner = new ObjectScanner();
  const pieces: Buffer[] = [];
  const fd = reopenStdin();
  if (fd === undefined) return { kind: "partial", pieces, scanner };
  try {
    for (let bytes = 0; bytes <= MAX_BYTES;) {
      const piece = Buffer.allocUnsafe(64 * 1024);
      const length = readSync(fd, piece);
      const end = scanner.feed(piece.subarray(0, length));
      pieces.push(piece.subarray(0, end ?? length));
      if (end !== undefined || length === 0) break;
      bytes += length;
    }
    return { kind: "complete", text: decode(pieces) };
  } catch {
    return { kind: "partial", pieces, scanner }; // nothing more is there yet
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

/**
 * Reads one JSON object from stdin: complete at its closing brace, at the end of the input, or when patience ends,
 * whichever comes first. Lets go of stdin then, so that the process can end while the host still holds it open.
 */
export function readObjectText(
  stdin: NodeJS.ReadStream,
  signal: AbortSignal,
  beginning?: PartialText,
): Promise<string> {
  return new Promise((resolve) => {
    const scanner = beginning?.scanner ?? new ObjectScanner();
    const pieces: Buffer[] = [...(beginning?.pieces ?? [])];
    let bytes = 0;
    const finish = (): void => {
      clearTimeout(patience);
      signal.removeEventListener("abort", finish);
      stdin.off("data", take).off("end", finish).off("error", finish);
      stdin.on("error", () => {}).pause();
      stdin.unref();
      resolve(decode(pieces));
    };
    const take = (piece: Buffer): void => {
      const end = scanner.feed(piece);
      pieces.push(end === undefined ? piece : piece.subarray(0, end));
      bytes += piece.length;
      if (end !== undefined || bytes > MAX_BYTES) finish();
    };
    const patience = setTimeout(finish, PATIENCE_MS);
    signal.addEventListener("abort", finish, { once: true });
    stdin.on("data", take).once("end", finish).once("error", finish);
    if (stdin.readableEnded || signal.aborted) finish();
  });
}

/** Without the byte order mark some shells on Windows put in front. */
function decode(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trim();
}
