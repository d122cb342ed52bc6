import { describe, expect, test } from "vitest";
import { cutAtWord, ago, formatDuration } from "../src/words.ts";

const NOW = Date.UTC(2026, 10, 15);

describe("ago", () => {
  test.each([
    [-5_000, "just now"],
    [59_000, "just now"],
    [60_000, "1 minute ago"],
    [150_000, "2 minutes ago"],
    [3_600_000, "1 hour ago"],
    [90_000_000, "1 day ago"],
    [864_000_000, "10 days ago"],
  ])("%i ms before now is %s", (passed, words) => {
    expect(ago(NOW - passed, NOW)).toBe(words);
  });
});

describe("formatDuration", () => {
  test.each([
    [999, "999 ms"],
    [59_940, "59.9 s"],
    [59_990, "1 min 0 s"],
    [119_600, "2 min 0 s"],
    [125_400, "2 min 5 s"],
  ])("%i ms are %s", (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });
});

test.for<[text: string, most: number, cut: string]>([
  ["short enough", 12, "short enough"],
  ["one word too many", 16, "one word too …"],
  ["nothing-to-cut-at", 10, "nothing- …"],
])("%j in %i characters ends at a word: %j", ([text, most, cut]) => {
  expect(cutAtWord(text, most)).toBe(cut);
  expect(cut.length).toBeLessThanOrEqual(most);
});
