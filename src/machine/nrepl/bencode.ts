/** What bencode can carry. Strings are bytes: a decoder cannot know which of them are text. */
export type BencodeValue =
  number | bigint | Buffer | readonly BencodeValue[] | ReadonlyMap<string, BencodeValue>;

/** What may be encoded; text is sent as UTF-8. */
export type Encodable =
  | string
  | number
  | bigint
  | Buffer
  | readonly Encodable[]
  | ReadonlyMap<string, Encodable>
  | { readonly [key: string]: Encodable };

/** The bytes of one value, dictionary keys in the order the format demands. */
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

/** The bytes are not bencode; nothing behind them can be understood. */
export class MalformedBencode extends Error {
  override readonly name = "MalformedBencode";
}
