/** Strings are bytes: a decoder cannot know which are text. */
export type BencodeValue =
  number | bigint | Buffer | readonly BencodeValue[] | ReadonlyMap<string, BencodeValue>;

export type Encodable =
  | string
  | number
  | bigint
  | Buffer
  | readonly Encodable[]
  | ReadonlyMap<string, Encodable>
  | { readonly [key: string]: Encodable };

export function encode(value: Encodable): Buffer {
  if (Buffer.isBuffer(value)) return Buffer.concat([Buffer.from(`${value.length}:`), value]);
  if (typeof value === "string") return encode(Buffer.from(value));
  if (typeof value === "number" || typeof value === "bigint") return Buffer.from(`i${value}e`);
  if (isList(value)) return Buffer.concat([Buffer.from("l"), ...value.map(encode), Buffer.from("e")]);
  const entries = value instanceof Map ? [...value.entries()] : Object.entries(value);
  const parts = entries
    .map(([key, item]): [Buffer, Encodable] => [Buffer.from(key), item])
    .toSorted(([a], [b]) => a.compare(b))
    .flatMap(([key, item]) => [encode(key), encode(item)]);
  return Buffer.concat([Buffer.from("d"), ...parts, Buffer.from("e")]);
}

function isList(value: Encodable): value is readonly Encodable[] {
  return Array.isArray(value);
}

export class MalformedBencode extends Error {
  override readonly name = "MalformedBencode";
}

type Frame =
  | { readonly kind: "list"; readonly items: BencodeValue[] }
  | { readonly kind: "dictionary"; readonly entries: Map<string, BencodeValue>; key?: string };

interface OpenString {
  missing: number;
  readonly parts: Buffer[];
  kept: number;
}

const LONGEST_NUMBER = 32;
const DEEPEST = 512;

export class BencodeDecoder {
  readonly #maxStringBytes: number;
  readonly #stack: Frame[] = [];
  #finished: BencodeValue[] = [];
  #number = "";
  #string: OpenString | undefined;

  constructor(maxStringBytes = 8 * 1024 * 1024) {
    this.#maxStringBytes = maxStringBytes;
  }

  push(chunk: Buffer): BencodeValue[] {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#string) offset = this.#takeString(this.#string, chunk, offset);
      else this.#takeByte(String.fromCharCode(chunk[offset++] ?? 0));
    }
    const finished = this.#finished;
    this.#finished = [];
    return finished;
  }

  #takeByte(character: string): void {
    if (this.#number !== "") return this.#takeNumber(character);
    if (/[\di]/.test(character)) this.#number = character;
    else if (character === "l") this.#open({ kind: "list", items: [] });
    else if (character === "d") this.#open({ kind: "dictionary", entries: new Map() });
    else if (character === "e") this.#close();
    else throw new MalformedBencode(`no value starts with ${JSON.stringify(character)}`);
  }

  #takeNumber(character: string): void {
    const isInteger = this.#number.startsWith("i");
    if (character === (isInteger ? "e" : ":")) {
      const digits = this.#number;
      this.#number = "";
      if (isInteger) this.#emit(integerFrom(digits.slice(1)));
      else this.#openString(Number(digits));
      return;
    }
    this.#number += character;
    if (!/^(?:i-?\d*|\d+)$/.test(this.#number) || this.#number.length > LONGEST_NUMBER) {
      throw new MalformedBencode(`${JSON.stringify(this.#number)} is not a number`);
    }
  }

  #openString(length: number): void {
    if (!Number.isSafeInteger(length)) throw new MalformedBencode(`a string of ${length} bytes`);
    if (length === 0) this.#emit(Buffer.alloc(0));
    else this.#string = { missing: length, parts: [], kept: 0 };
  }

  #takeString(string: OpenString, chunk: Buffer, offset: number): number {
    const end = Math.min(chunk.length, offset + string.missing);
    const keepUntil = Math.min(end, offset + this.#maxStringBytes - string.kept);
    if (keepUntil > offset) string.parts.push(Buffer.from(chunk.subarray(offset, keepUntil)));
    string.kept += Math.max(0, keepUntil - offset);
    string.missing -= end - offset;
    if (string.missing === 0) {
      this.#string = undefined;
      this.#emit(Buffer.concat(string.parts));
    }
    return end;
  }

  #open(frame: Frame): void {
    const parent = this.#stack.at(-1);
    if (parent?.kind === "dictionary" && parent.key === undefined) {
      throw new MalformedBencode(`a ${frame.kind} is not a dictionary key`);
    }
    if (this.#stack.push(frame) > DEEPEST) throw new MalformedBencode("nested too deeply");
  }

  #close(): void {
    const frame = this.#stack.pop();
    if (frame === undefined) throw new MalformedBencode("an end without a beginning");
    if (frame.kind === "list") return this.#emit(frame.items);
    if (frame.key !== undefined) throw new MalformedBencode(`the key ${frame.key} has no value`);
    this.#emit(frame.entries);
  }

  #emit(value: BencodeValue): void {
    const frame = this.#stack.at(-1);
    if (frame === undefined) this.#finished.push(value);
    else if (frame.kind === "list") frame.items.push(value);
    else if (frame.key === undefined) frame.key = keyFrom(value);
    else {
      frame.entries.set(frame.key, value);
      delete frame.key;
    }
  }
}

function keyFrom(value: BencodeValue): string {
  if (!Buffer.isBuffer(value)) throw new MalformedBencode("a dictionary key is a string");
  return value.toString("utf8");
}

function integerFrom(digits: string): number | bigint {
  if (!/^-?\d+$/.test(digits)) throw new MalformedBencode(`${JSON.stringify(digits)} is not an integer`);
  const value = BigInt(digits);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
