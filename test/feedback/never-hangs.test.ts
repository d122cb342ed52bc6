import { array, assert, constantFrom, integer, property, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { digestGates } from "../../src/feedback/digest.ts";
import { PARSERS } from "../../src/feedback/parsers/table.ts";

function digest(text: string, budget = 9000): string {
  const gate = { id: "g", name: "g", text, logPath: "logs/g.log", projectRoot: "/tmp/project" };
  return digestGates([gate], budget)[0] ?? "";
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

test("any bytes give a digest within the budget, with whole characters", () => {
  assert(
    property(uint8Array({ maxLength: 4000 }), integer({ min: 0, max: 2000 }), (bytes, budget) => {
      const text = new TextDecoder().decode(bytes);

      const said = digest(text, budget);

      expect(said.length).toBeLessThanOrEqual(budget);
      expect(said).not.toMatch(LONE_SURROGATE);
    }),
  );
});

/** Pieces that parsers look for, in any order: the likeliest way to lead one astray. */
const PIECES = PARSERS.flatMap(({ marks = [] }) => marks).concat(
  [
    "\n",
    "\n\n",
    "  ",
    "    ",
    "src/a.ts:1:2",
    "(1,2)",
    ": error: ",
    " - ",
    "___ x ___",
    "=== FAILURES ===",
    "1) x",
  ],
  [
    "\u001B[31m",
    "\r",
    "--> a.rs:1:2",
    'File "a.py", line 3',
    "at f (a.js:1:2)",
    "error",
    "x".repeat(50),
    "[[[[",
    "))))",
  ],
);

test("any mixture of what tools print gives a digest within the budget", () => {
  assert(
    property(array(constantFrom(...PIECES), { maxLength: 200 }), (pieces) => {
      expect(digest(pieces.join(""), 1000).length).toBeLessThanOrEqual(1000);
    }),
  );
});

const MEGABYTE = 1_000_000;

test.each([
  ["one line", "x".repeat(MEGABYTE)],
  ["one line of blanks", " ".repeat(MEGABYTE)],
  ["one line of places", "a.ts:1:2: ".repeat(MEGABYTE / 10)],
  ["nested brackets", "(".repeat(MEGABYTE / 2) + ")".repeat(MEGABYTE / 2)],
  ["nested JSON", '[{"'.repeat(MEGABYTE / 3)],
  ["unclosed XML", "<testsuite><testcase ".repeat(MEGABYTE / 20)],
  ["blank lines", "\n".repeat(MEGABYTE)],
  ["carriage returns", "50%\r".repeat(MEGABYTE / 4)],
  ["escape codes", "\u001B[".repeat(MEGABYTE / 2)],
  ["unfinished titles", "\u001B]0;".repeat(MEGABYTE / 4)],
  ["headings without bodies", "  ● a › b\n".repeat(MEGABYTE / 10)],
  ["frames", "    at f (/a/b.js:1:2)\n".repeat(MEGABYTE / 20)],
  ["failing tests", "--- FAIL: TestA (0.00s)\n".repeat(MEGABYTE / 20)],
  ["tracebacks", "Traceback (most recent call last):\n".repeat(MEGABYTE / 30)],
  ["not ok", "not ok 1 - a\n".repeat(MEGABYTE / 12)],
  ["annotations", "::error file=a::".repeat(MEGABYTE / 15)],
])(
  "%s of a megabyte is digested",
  (_, text) => {
    expect(digest(text).length).toBeLessThanOrEqual(9000);
  },
  10_000,
);
