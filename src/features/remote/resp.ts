export type RespValue = string | number | null | Error | readonly RespValue[];

export function listOf(value: RespValue | undefined): readonly RespValue[] {
  return Array.isArray(value) ? value : [];
}

export function respCommand(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${words.length}\r\n${parts.join("")}`;
}

/** More than any reply to what we ask. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads replies from the pieces in which they arrive (RESP2). Throws for anything else. */
export class RespReader {
  readonly #encoding: BufferEncoding;
  #rest = Buffer.alloc(0);

  /** In `latin1`, each letter of a text is a byte. */
  constructor(encoding: BufferEncoding = "utf8") {
    this.#encoding = encoding;
  }

  push(chunk: Buffer): readonly RespValue[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    if (this.#rest.length > MAX_BYTES) throw new Error("it sends more than was asked for");
    const values: RespValue[] = [];
    const next = (): Read<RespValue> | undefined =>
      readValue({ bytes: this.#rest, encoding: this.#encoding }, 0);
    for (let read = next(); read !== undefined; read = next()) {
      values.push(read.value);
      this.#rest = this.#rest.subarray(read.end);
    }
    return values;
  }
}

interface Source {
  readonly bytes: Buffer;
  readonly encoding: BufferEncoding;
}

interface Read<T> {
  readonly value: T;
  readonly end: number;
}

function readValue(source: Source, from: number): Read<RespValue> | undefined {
  const { bytes } = source;
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
      return readBulk(source, end, lengthIn(text));
    case "*":
      return readArray(source, end, lengthIn(text));
    default:
      throw new Error("it is not a Redis server");
  }
}

function readBulk({ bytes, encoding }: Source, from: number, length: number): Read<RespValue> | undefined {
  if (length === -1) return { value: null, end: from };
  if (bytes.length < from + length + 2) return undefined;
  return { value: bytes.toString(encoding, from, from + length), end: from + length + 2 };
}

function readArray(source: Source, from: number, length: number): Read<RespValue> | undefined {
  if (length === -1) return { value: null, end: from };
  const value: RespValue[] = [];
  let end = from;
  while (value.length < length) {
    const read = readValue(source, end);
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
