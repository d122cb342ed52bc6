import { cleanText } from "./clean-text.ts";
import { unwrapGoJson } from "./go-json.ts";
import type { PlacedText } from "./placed-text.ts";
import { placedText } from "./placed-text.ts";
import { untangle } from "./untangle.ts";

/** What a gate printed, as a person would have seen it; read once for all parsers. */
export interface Log {
  readonly lines: readonly string[];
  /** How the lines begin, each beginning once: enough to see which tools have written here. */
  readonly beginnings: string;
  /** The lines that begin with a place in a file. */
  readonly placed: readonly PlacedText[];
  readonly isPlaced: (line: number) => boolean;
}

/** No tool puts a place further right; a minified file or a JSON blob on one line must not cost time. */
const LONGEST_LINE = 4000;
const BEGINNING = 14;

/** Cleans and splits a raw log. */
export function readLog(raw: string): Log {
  const lines = untangle(unwrapGoJson(cleanText(raw).split("\n").map(bounded)));
  const beginnings = new Set(lines.map((line) => line.trimStart().slice(0, BEGINNING)));
  const placed: PlacedText[] = [];
  const isPlaced = new Uint8Array(lines.length);
  lines.forEach((line, index) => {
    const found = placedText(line, index);
    if (found === undefined) return;
    placed.push(found);
    isPlaced[index] = 1;
  });
  return { lines, beginnings: [...beginnings].join("\n"), placed, isPlaced: (line) => isPlaced[line] === 1 };
}

function bounded(line: string): string {
  return line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line;
}
