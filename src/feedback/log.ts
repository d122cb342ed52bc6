import { cleanText } from "./clean-text.ts";
import type { PlacedText } from "./placed-text.ts";
import { placedText } from "./placed-text.ts";

/** What a gate printed, as a person would have seen it. */
export interface Log {
  readonly text: string;
  readonly lines: readonly string[];
  /** The lines that begin with a place in a file, by index; found once for all parsers. */
  readonly placed: ReadonlyMap<number, PlacedText>;
}

/** No tool puts a place further right; a minified file or a JSON blob on one line must not cost time. */
const LONGEST_LINE = 4000;

/** Cleans and splits a raw log. */
export function readLog(raw: string): Log {
  const text = cleanText(raw);
  const lines = text
    .split("\n")
    .map((line) => (line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line));
  const placed = new Map<number, PlacedText>();
  lines.forEach((line, index) => {
    const found = placedText(line);
    if (found !== undefined) placed.set(index, found);
  });
  return { text, lines, placed };
}
