import { isRecord, parseJson } from "../../json.ts";

/** What is read of a JSON-RPC message: one line. Only messages of the proxy itself are ever written from this form. */
export type Message = Readonly<Record<string, unknown>>;

/** No editor sends so much at once, and a string of Node's holds hardly more. */
const MOST_READ_BYTES = 256 * 1024 * 1024;

/** Undefined for what is no message, or too long to be read: it is passed on all the same. */
export function readMessage(line: Buffer): Message | undefined {
  if (line.length > MOST_READ_BYTES) return undefined;
  const message = parseJson(line.toString("utf8"));
  return isRecord(message) ? message : undefined;
}

/** 1 and "1" are two ids. */
export function idKey(id: unknown): string {
  return JSON.stringify(id);
}

/** An answer has an id and no method. */
export function isAnswer(message: Message): boolean {
  return message["id"] !== undefined && message["method"] === undefined;
}

export function isRequest(message: Message): boolean {
  return message["id"] !== undefined && message["method"] !== undefined;
}

export function fieldsOf(message: Message, key: "params" | "result"): Message {
  const fields = message[key];
  return isRecord(fields) ? fields : {};
}

export function textIn(fields: Message, key: string): string | undefined {
  const text = fields[key];
  return typeof text === "string" ? text : undefined;
}

export function lineOf(message: Message): string {
  return `${JSON.stringify(message)}\n`;
}

/** What the user typed of a prompt: its texts, without files and images. */
export function typedText({ prompt }: Message): string {
  const blocks: readonly unknown[] = Array.isArray(prompt) ? prompt : [];
  return blocks
    .flatMap((block) => (isRecord(block) && block["type"] === "text" ? (textIn(block, "text") ?? []) : []))
    .join("\n");
}

/** The mode that a session is in, or is to get: old agents have modes, newer ones an option of the category "mode". */
export function modeIn(fields: Message): string | undefined {
  const modes = isRecord(fields["modes"]) ? fields["modes"] : fields;
  const named = textIn(modes, "currentModeId") ?? textIn(modes, "modeId");
  const options: readonly unknown[] = Array.isArray(fields["configOptions"]) ? fields["configOptions"] : [];
  const option = options.find((one) => isRecord(one) && one["category"] === "mode");
  return named ?? (isRecord(option) ? textIn(option, "currentValue") : undefined);
}

/** Cuts a stream into lines, whatever pieces it comes in. */
export class Lines {
  #pieces: Buffer[] = [];

  /** The lines that are complete by now, each with its end. */
  feed(chunk: Buffer): readonly Buffer[] {
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      lines.push(Buffer.concat([...this.#pieces, chunk.subarray(from, end + 1)]));
      this.#pieces = [];
      from = end + 1;
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
    return lines;
  }

  /** What came after the last line end. */
  rest(): Buffer {
    return Buffer.concat(this.#pieces.splice(0));
  }
}

const NEWLINE = 0x0a;
