const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const NEWLINE = 0x0a;
const SPACE_AND_BELOW = 0x20;
const BYTE_ORDER_MARK = new Set([0xef, 0xbb, 0xbf]);

/**
 * Finds the end of the first JSON object in bytes that arrive in pieces cut anywhere. Works on bytes because none of
 * JSON's own characters occurs inside a longer UTF-8 sequence. Text that cannot become an object ends at its newline.
 */
export class ObjectScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #seen: "nothing" | "object" | "other" = "nothing";

  /** The number of bytes of this piece that belong to the value, once it is complete. */
  feed(piece: Uint8Array): number | undefined {
    for (const [index, byte] of piece.entries()) {
      if (this.#isEnd(byte)) return index + 1;
    }
    return undefined;
  }

  #isEnd(byte: number): boolean {
    if (this.#seen === "object") return this.#inString ? this.#readString(byte) : this.#readStructure(byte);
    if (this.#seen === "other") return byte === NEWLINE;
    if (byte === OPEN) {
      this.#seen = "object";
      this.#depth = 1;
    } else if (byte > SPACE_AND_BELOW && !BYTE_ORDER_MARK.has(byte)) this.#seen = "other";
    return false;
  }

  #readString(byte: number): false {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    return false;
  }

  #readStructure(byte: number): boolean {
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN) this.#depth += 1;
    else if (byte === CLOSE) this.#depth -= 1;
    return this.#depth === 0;
  }
}
