import { isRecord } from "../../json.ts";
/** The user's word, given at a terminal, that stops here need not be checked. */
export interface Skip {
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Only this gate. */
  readonly gate?: string;
  /** When it ends; without it, after the next stop, or with the session. */
  readonly until?: number;
  /** Only this session, by its key. */
  readonly session?: string;
}

/** What the user may write in a prompt, on a separate line. */
export interface Spoken {
  /** Why the next stop need not be checked. */
  readonly skip?: string;
  /** The changed gates are right. */
  readonly accept?: true;
}

const SKIP = /^[ \t]*gauntlet skip:[ \t]*(\S.*?)[ \t]*$/im;
/** The command of the plugin, which can only begin a prompt. */
const SKIP_COMMAND = /^\/gauntlet:skip[ \t]+(\S.*?)[ \t]*(?:\n|$)/;
const ACCEPT = /^[ \t]*gauntlet accept[ \t]*\.?[ \t]*$/im;

export function spokenIn(prompt: string): Spoken {
  const [, skip] = SKIP_COMMAND.exec(prompt) ?? SKIP.exec(prompt) ?? [];
  return {
    skip: skip?.slice(0, 300),
    accept: ACCEPT.test(prompt) || undefined,
  };
}

/**
 * Whether a transcript, one JSON object per line, holds a message of the user that says this. What a tool printed, a hook said or the
 * model wrote does not count.
 */
export function userSaid(transcript: string, isSaid: (spoken: Spoken) => boolean): boolean {
  const lines = transcript
    .split("\n")
    .filter((line) => /gauntlet (?:skip:|accept)|gauntlet:skip/i.test(line));
  return lines.some((line) => textsOfUser(parse(line)).some((text) => isSaid(spokenIn(asTyped(text)))));
}

/** A command as Claude Code (2.1.325, 2026-11-16) writes it down, as it was typed; any other text as it is. */
function asTyped(text: string): string {
  const [, name, args] = COMMAND.exec(text) ?? [];
  return name === undefined ? text : `${name} ${args}`;
}

const COMMAND =
  /^<command-message>[^<]*<\/command-message>\s*<command-name>([^<]*)<\/command-name>\s*<command-args>([^]*)<\/command-args>$/;

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The user's own words in one entry: its text, or the text blocks of its message. */
function textsOfUser(entry: unknown): readonly string[] {
  if (!isRecord(entry) || entry["isMeta"] === true || entry["toolUseResult"] !== undefined) return [];
  if (entry["type"] === REQUEST) return [];
  const message = [entry["message"], entry["payload"], entry].find(
    (one) => isRecord(one) && roleOf(one) === "user",
  );
  if (!isRecord(message)) return [];
  const content = message["content"] ?? message["text"] ?? message["parts"];
  if (typeof content === "string") return [content];
  return Array.isArray(content) ? content.flatMap(textOfBlock) : [];
}

/** Claude Code also keeps what it sent to the model, where a skill's text and the user's stand side by side (2.1.325, 2026-11-16). */
const REQUEST = "api-request-blob";

function roleOf(message: Readonly<Record<string, unknown>>): unknown {
  return message["role"] ?? message["type"];
}

function textOfBlock(block: unknown): readonly string[] {
  if (!isRecord(block) || typeof block["text"] !== "string") return [];
  const isText = [undefined, "text", "input_text"].includes(block["type"] as string | undefined); // compared only
  return isText ? [block["text"]] : [];
}
