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
  const typed = typedLines(prompt);
  const [, skip] = SKIP_COMMAND.exec(prompt) ?? SKIP.exec(typed) ?? [];
  return {
    skip: skip?.slice(0, 300),
    accept: ACCEPT.test(typed) || undefined,
  };
}

/**
 * The lines of a prompt that the user may have meant for us: the first, the last and those of short paragraphs. What stands in code,
 * in a tag (hosts put the words of teammates and tasks there) or amid many lines was pasted, or written by others.
 */
function typedLines(prompt: string): string {
  const lines = withoutCode(withoutTags(prompt)).trim().split("\n");
  const paragraphs: string[][] = [[]];
  for (const line of lines) {
    if (line.trim() === "") paragraphs.push([]);
    else paragraphs.at(-1)?.push(line);
  }
  const short = paragraphs.filter(({ length }) => length <= MOST_TYPED_LINES).flat();
  return [lines[0], ...short, lines.at(-1)].join("\n");
}

const MOST_TYPED_LINES = 3;

/** From the first opening of each tag to its last closing, so that a text cannot close the tag that it is in. */
function withoutTags(text: string): string {
  const names = new Set([...text.matchAll(/<([a-z][\w-]*)[\s>]/gi)].map(([, name = ""]) => name));
  let rest = text;
  for (const name of names) {
    const start = rest.search(new RegExp(`<${name}[\\s>]`));
    const end = rest.lastIndexOf(`</${name}>`);
    if (start >= 0 && end > start) rest = `${rest.slice(0, start)}…${rest.slice(end + name.length + 3)}`;
  }
  return rest;
}

/** A fence that is never closed goes to the end, as in Markdown. */
function withoutCode(text: string): string {
  let fence: string | undefined;
  const lines = text.split("\n").map((line) => {
    const [mark] = /^ {0,3}(?:`{3,}|~{3,})/.exec(line)?.map((one) => one.trim()) ?? [];
    const isInside = fence !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    return isInside || mark !== undefined || /^(?: {4}|\t)/.test(line) ? "…" : line;
  });
  return lines.join("\n");
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
