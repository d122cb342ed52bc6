import { ObjectScanner } from "../core/object-scanner.ts";

const PATIENCE_MS = 5_000;
/** A last message of a megabyte is real; this is not. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads one JSON object from stdin: complete at its closing brace, at the end of the input, or when patience ends,
 * whichever comes first. Lets go of stdin then, so that the process can end while the host still holds it open.
 */
export function readObjectText(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const scanner = new ObjectScanner();
    const pieces: Buffer[] = [];
    let bytes = 0;
    const finish = (): void => {
      clearTimeout(patience);
      signal.removeEventListener("abort", finish);
      stdin.off("data", take).off("end", finish).off("error", finish);
      stdin.on("error", () => {}).destroy();
      resolve(decode(Buffer.concat(pieces)));
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
function decode(bytes: Buffer): string {
  return bytes
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trim();
}
