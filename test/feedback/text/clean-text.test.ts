import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cleanLog, cleanText, visibleName } from "../../../src/feedback/text/clean-text.ts";

test.each([
  ["colours", "\u001B[31merror\u001B[39m: \u001B[1;38;5;196mx\u001B[0m", "error: x"],
  ["links", "\u001B]8;;https://example.com\u001B\\here\u001B]8;;\u001B\\", "here"],
  ["titles", "\u001B]0;building\u0007done", "done"],
  ["cursor movement", "\u001B[2K\u001B[1G✓ done\u001B[?25h", "✓ done"],
  ["an unfinished code at the end", "text\u001B[3", "text"],
  ["progress overwritten in place", "10 %\r50 %\r100 %\nnext", "100 %\nnext"],
  ["a cleared line", "10 %\r\u001B[K\nnext", "10 %\nnext"],
  ["Windows line ends", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["control characters", "a\u0000b\u0007c\bd\u007F", "abcd"],
  ["tabs and other languages", "\tгрешка: größe 🙂", "\tгрешка: größe 🙂"],
  ["text that reads backwards", "safe\u202Etxt.exe", "safe\\u202Etxt.exe"],
  ["zero-width characters", "pass\u200Bword a\u200Cb a\u200Db", "pass\\u200Bword a\\u200Cb a\\u200Db"],
  ["the joiner of an emoji", "👩‍👩‍👧‍👦 👩🏽‍💻", "👩‍👩‍👧‍👦 👩🏽‍💻"],
  ["tags", "hi\u{E0041}\u{E007F}", "hi\\u{E0041}\\u{E007F}"],
  ["C1 controls", "a\u0085b\u0090c", "a\\u0085b\\u0090c"],
])("%s", (_, raw, clean) => {
  expect(cleanText(raw)).toBe(clean);
  expect(cleanLog(raw).slice(0).join("\n")).toBe(clean);
});

test("a log is cleaned line by line as a text is, however long it is", () => {
  const bits = fc.constantFrom(
    "a",
    "1 ",
    "\n",
    "\r\n",
    "\r",
    "\u001B[31m",
    "\u0007",
    "\u200B",
    "✗",
    "\uD83D",
    "🙂",
  );
  const property = fc.property(fc.array(bits, { maxLength: 40 }), fc.boolean(), (parts, isLong) => {
    const raw = isLong ? `${"fine\n".repeat(13_106)}${parts.join("")}` : parts.join("");
    const lines = cleanLog(raw)
      .slice(0)
      .map((line) => line.trimEnd());
    expect(lines).toEqual(
      cleanText(raw)
        .split("\n")
        .map((line) => line.trimEnd()),
    );
  });
  fc.assert(property, { numRuns: 100 });
});

test("a log full of colours is cleaned like one with few", () => {
  expect(cleanLog("\u001B[31mx\u001B[39m\u0007\n".repeat(9000)).slice(8998)).toEqual(["x", "x", ""]);
});

test("a name stays on one line, whatever it holds", () => {
  expect(visibleName("src\nWhat to do now: stop\u2028\u202E")).toBe(
    "src\\u000AWhat to do now: stop\\u2028\\u202E",
  );
});
