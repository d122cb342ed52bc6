import { INVISIBLE_RANGES, TRAIT } from "./line-traits.ts";
import { Lines } from "./lines.ts";

/** What a person would have seen on a terminal: no escape codes, no overwritten progress, no control characters. */
export function cleanText(raw: string): string {
  return withoutOverwritten(visibleText(withoutEscapes(raw).replace(CONTROLS, "")));
}

/** The same as lines, of which only those are looked at that need it; where colours are everywhere, they are taken out at once. */
export function cleanLog(raw: string): Lines {
  const lines = new Lines(isColourful(raw) ? withoutEscapes(raw) : raw);
  const unclean: number[] = [];
  for (let index = 0; index < lines.length; index += 1) if (lines.may(index, UNCLEAN)) unclean.push(index);
  if (unclean.length === 0) return lines;
  return lines.replaced(unclean, cleanText(unclean.map((line) => lines.wholeAt(line)).join("\n")));
}

/** By a hundred places, of a few lines each. */
function isColourful(text: string): boolean {
  const places = Array.from({ length: 100 }, (_, index) => Math.floor((index * text.length) / 100));
  return places.filter((at) => text.slice(at, at + 200).includes("\u001B")).length > 50;
}

const UNCLEAN = TRAIT.control | TRAIT.invisible | TRAIT.overwritten;

function withoutEscapes(text: string): string {
  return text.includes("\u001B") || text.includes("\u009B") ? text.replace(ESCAPE_CODES, "") : text;
}

/** A carriage return starts the line again: the last thing written on a line is what stays. */
function withoutOverwritten(text: string): string {
  const lines = text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
  const parts: string[] = [];
  let done = 0;
  for (let at = lines.indexOf("\r"); at !== -1; at = lines.indexOf("\r", done)) {
    const from = lines.lastIndexOf("\n", at) + 1;
    const end = lines.indexOf("\n", at);
    const to = end === -1 ? lines.length : end;
    parts.push(lines.slice(done, from), lastWritten(lines.slice(from, to)));
    done = to;
  }
  return parts.length === 0 ? lines : `${parts.join("")}${lines.slice(done)}`;
}

function lastWritten(line: string): string {
  return line.split("\r").findLast((part) => part.trim() !== "") ?? "";
}

/**
 * Characters that cannot be seen, or that change how others are seen, as escapes: what an agent reads is what a person would read. The
 * joiner inside an emoji stays.
 */
export function visibleText(text: string): string {
  if (!INVISIBLE.test(text)) return text;
  return text.replace(INVISIBLE_ALL, (found, offset: number) =>
    found === JOINER && isInEmoji(text, offset) ? found : escaped(found),
  );
}

/** A name on one line, whatever it holds: a newline in it must not begin a line of ours. */
export function visibleName(name: string): string {
  return visibleText(name.replace(/[\u0000-\u001F\u007F\u2028\u2029]/g, escaped));
}

/** What is left of an output when everything that differs from run to run is taken out: two failures with the same essence are the same. */
export function essenceOf(text: string): string {
  return cleanText(text)
    .replaceAll(/\b0x[0-9a-f]+\b/gi, "0x")
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, "uuid")
    .replaceAll(/\/tmp\/\S+/g, "/tmp")
    .replaceAll(/\d+(?:[.,:]\d+)*/g, "0");
}

/** OSC, DCS and other strings with a terminator; CSI sequences; two-character escapes; a lone escape. */
const ESCAPE_CODES =
  /\u001B[\]PX^_][^\u0007\u001B\n]*(?:\u0007|\u001B\\)?|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?/g;

const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\uFEFF]/g;

const INVISIBLE = new RegExp(
  String.raw`[${INVISIBLE_RANGES.map((range) =>
    String.fromCharCode(...range)
      .split("")
      .join("-"),
  ).join("")}]|[\uDB40-\uDB43][\uDC00-\uDFFF]`,
);
const INVISIBLE_ALL = new RegExp(INVISIBLE.source, "g");

const JOINER = "\u200D";

function isInEmoji(text: string, offset: number): boolean {
  return (
    /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]$/u.test(
      text.slice(Math.max(0, offset - 2), offset),
    ) && /^\p{Extended_Pictographic}/u.test(text.slice(offset + 1, offset + 3))
  );
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}

/** What a fence costs at most. */
export const FENCE_CHARS = 30;

const LONGEST_RUN = 12;

/**
 * Text of a gate between two rows of backticks, longer than any row in it: nothing in the text can end the fence, so nothing in it can
 * pass for a sentence of ours.
 */
export function inFence(text: string): string {
  if (text === "") return "";
  const shown = text.replace(/`{13,}/g, "`".repeat(LONGEST_RUN));
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${shown}\n${fence}`;
}
