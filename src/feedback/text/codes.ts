const PIECE = 65536;

/**
 * The characters of a text as numbers, one piece of it at a time, in an array that the next piece overwrites: read from there they take
 * half the time that asking a long text for each of them takes.
 */
export function* codesOf(text: string): Generator<Uint16Array> {
  const bytes = Buffer.alloc(2 * Math.min(PIECE, text.length));
  const codes = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  for (let from = 0; from < text.length; from += PIECE)
    yield codes.subarray(0, bytes.write(text.slice(from, from + PIECE), "utf16le") / 2);
}
