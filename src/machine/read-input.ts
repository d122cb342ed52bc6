import type { Readable } from "node:stream";

/**
 * Reads one JSON value: complete as soon as it parses, at the end of the stream, or when the time is up, whichever comes first.
 * Some hosts keep the pipe open, so the stream is destroyed: it must not keep the process alive.
 */
export async function readJsonInput(stream: Readable, waitMs: number): Promise<string> {
  const chunks: Buffer[] = [];
  const read = (): string => Buffer.concat(chunks).toString("utf8").trim();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    const finish = (): void => {
      clearTimeout(timer);
      resolve();
    };
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (looksClosed(chunk) && isJson(read())) finish();
    });
    for (const end of ["end", "close", "error"]) stream.once(end, finish);
  });
  stream.destroy();
  return read();
}

/** Only a chunk that ends like a value is worth a try; a long transcript is not parsed again with every chunk. */
function looksClosed(chunk: Buffer): boolean {
  return /[\]}"\w]\s*$/.test(chunk.subarray(-16).toString("latin1"));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
