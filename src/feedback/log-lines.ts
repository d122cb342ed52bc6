import { cleanText } from "./clean-text.ts";

/** No tool puts a place further right; a minified file or a JSON blob on one line must not cost time. */
const LONGEST_LINE = 4000;

/** The lines of a log as a person would have seen them, each of bounded length. */
export function logLines(text: string): readonly string[] {
  return cleanText(text)
    .split("\n")
    .map((line) => (line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line));
}
