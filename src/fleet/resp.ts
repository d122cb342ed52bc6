/** What a Redis server may reply; an error is a value here. */
export type RespValue = string | number | null | Error | readonly RespValue[];

/** A command as the protocol writes it. */
export function respCommand(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${words.length}\r\n${parts.join("")}`;
}

/** More than any reply to what we ask. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads replies from the pieces in which they arrive (RESP2). Throws for anything else. */
export class RespReader {
  #rest = Buffer.alloc(0);

  push(chunk: Buffer): readonly RespValue[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    if (this.#rest.length > MAX_BYTES) throw new Error("it sends more than was asked for");
    const values: RespValue[] = [];
    for (let read = readValue(this.#rest, 0); read !== undefined; read = readValue(this.#rest, 0)) {
      values.push(read.value);
      this.#rest = this.#rest.subarray(read.end);
    }
    return values;
  }
}

interface Read<T> {
  readonly value: T;
  readonly end: number;
}

/** The value that begins here; undefined where it has not arrived whole. */
function readValue(bytes: Buffer, from: number): Read<RespValue> | undefined {
  const lineEnd = bytes.indexOf("\r\n", from);
  if (lineEnd === -1) return undefined;
  const text = bytes.toString("utf8", from + 1, lineEnd);
  const end = lineEnd + 2;
  switch (bytes.toString("latin1", from, from + 1)) {
    case "+":
      return { value: text, end };
    case "-":
      return { value: new Error(text), end };
    case ":":
      return { value: Number(text), end };
    case "$":
      return readBulk(bytes, end, lengthIn(text));
    case "*":
      return readArray(bytes, end, lengthIn(text));
    default:
      throw new Error("it is not a Redis server");
  }
}

function readBulk(bytes: Buffer, from: number, length: number): Read<RespValue> | undefined {
  if (length === -1) return { value: null, end: from };
  if (bytes.length < from + length + 2) return undefined;
  return { value: bytes.toString("utf8", from, from + length), end: from + length + 2 };
}

function readArray(bytes: Buffer, from: number, length: number): Read<RespValue> | undefined {
  if (length === -1) return { value: null, end: from };
  const value: RespValue[] = [];
  let end = from;
  while (value.length < length) {
    const read = readValue(bytes, end);
    if (read === undefined) return undefined;
    value.push(read.value);
    ({ end } = read);
  }
  return { value, end };
}

function lengthIn(text: string): number {
  if (!/^(?:-1|\d{1,9})$/.test(text)) throw new Error("its answer cannot be read");
  return Number(text);
}
