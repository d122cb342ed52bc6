import type { BencodeValue } from "./bencode.ts";

/** One message of a server, with the fields an evaluation needs. */
export interface Reply {
  readonly id?: string;
  readonly status: readonly string[];
  readonly newSession?: string;
  readonly out?: string;
  readonly err?: string;
  readonly value?: string;
  readonly exception?: string;
}

/** The reply in a bencode value; nothing where the value is no dictionary. */
export function replyFrom(value: BencodeValue): Reply | undefined {
  if (!(value instanceof Map)) return undefined;
  // `instanceof` forgets what a map holds; the decoder makes no others.
  const message = value as ReadonlyMap<string, BencodeValue>;
  const fields = {
    id: textOf(message.get("id")),
    newSession: textOf(message.get("new-session")),
    out: textOf(message.get("out")),
    err: textOf(message.get("err")),
    value: textOf(message.get("value")),
    exception: textOf(message.get("ex")),
  };
  const present = Object.entries(fields).filter(([, text]) => text !== undefined);
  return { ...Object.fromEntries(present), status: statusOf(message.get("status")) };
}

function textOf(value: BencodeValue | undefined): string | undefined {
  return Buffer.isBuffer(value) ? value.toString("utf8") : undefined;
}

/** A list of words, by the letter of the protocol; a single word from some servers. */
function statusOf(value: BencodeValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.map(textOf).filter((word) => word !== undefined);
  const word = textOf(value);
  return word === undefined ? [] : [word];
}
