import { once } from "../../once.ts";

const ELLIPSIS = "…";
const LONGEST_GRAPHEME = 64;

/** At most `maxChars` characters, cut between graphemes, with an ellipsis where something is missing. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  if (maxChars <= 0) return "";
  return text.slice(0, cutPoint(text, maxChars - ELLIPSIS.length)).trimEnd() + ELLIPSIS;
}

/** The last grapheme boundary at or before `index`. */
function cutPoint(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  if (isPlain(text.charCodeAt(index - 1)) && isPlain(text.charCodeAt(index))) return index;
  const start = Math.max(0, index - LONGEST_GRAPHEME);
  const nearby = text.slice(start, index + LONGEST_GRAPHEME);
  const grapheme = graphemes()
    .segment(nearby)
    .containing(index - start);
  return grapheme === undefined ? index : start + grapheme.index;
}

/** Made when it is first needed: that takes 8 ms. */
const graphemes = once(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));

function isPlain(unit: number): boolean {
  return unit >= 0x20 && unit < 0x300;
}
