import { isRecord } from "../../json.ts";
export interface Skip {
  readonly reason: string;
  readonly at: number;
  readonly gate?: string;
  /** Without it, the skip ends after the next stop, or with the session. */
  readonly until?: number;
  readonly session?: string;
}

export interface Spoken {
  readonly skip?: string;
  readonly accept?: true;
}

const SKIP = /^[ \t]*gauntlet skip:[ \t]*(\S.*?)[ \t]*$/im;
/** A command of the plugin; it must begin the prompt. */
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
 * Lines that the user may have typed for us: the first, the last and those of short paragraphs. Lines in code, in tags (hosts put
 * messages of teammates and tasks there) or in long paragraphs were pasted, or written by others.
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

/** Cuts from the first opening of each tag to its last closing: a text must not close the tag it is in. */
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

/** Whether the user said this in a transcript of JSON lines. Output of tools, hooks and the model does not count. */
export function userSaid(transcript: string, isSaid: (spoken: Spoken) => boolean): boolean {
  const lines = transcript
    .split("\n")
    .filter((line) => /gauntlet (?:skip:|accept)|gauntlet:skip/i.test(line));
  return lines.some((line) => textsOfUser(parse(line)).some((text) => isSaid(spokenIn(asTyped(text)))));
}

/** Undoes how Claude Code (2.1.325, 2026-11-16) records a command. */
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

/** Claude Code (2.1.325, 2026-11-16) also records requests, which mix the text of skills with the user's. */
const REQUEST = "api-request-blob";

function roleOf(message: Readonly<Record<string, unknown>>): unknown {
  return message["role"] ?? message["type"];
}

function textOfBlock(block: unknown): readonly string[] {
  if (!isRecord(block) || typeof block["text"] !== "string") return [];
  const isText = [undefined, "text", "input_text"].includes(block["type"] as string | undefined); // compared only
  return isText ? [block["text"]] : [];
}
