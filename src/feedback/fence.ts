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
