import { array, assert, constantFrom, integer, property, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { digestGates, readGate } from "../../src/feedback/digest.ts";
import { runs } from "../rig/property-runs.ts";

function digest(text: string, budget = 9000): string {
  const gate = { id: "g", name: "g", text, logPath: "logs/g.log", projectRoot: "/tmp/project" };
  return digestGates([readGate(gate).draft()], budget)[0] ?? "";
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
const PIECES = `
error
: error:
src/a.ts:1:2
(1,2)
--> a.rs:1:2
,-[a.js:1:2]
a.js
  1:2  error  x  y
Traceback (most recent call last):
File "a.py", line 3
at f (a.js:1:2)
/a.js:1
^
Node.js v
● a › b
FAIL  a.test.ts > x
PASS a.js
× x
✖ x (1ms)
⎯⎯⎯
stdout | x
2 failing
1) x
___ x ___
=== FAILURES ===
FAILED a.py::x
FAIL: x
--------------------
=== RUN   TestA
--- FAIL: TestA (0.00s)
FAIL\ta
a_test.go:1: x
---- x stdout ----
test x ... FAILED
Failures:
Failure/Error: x
1) A::b
✘ x
1) test x (A)
FAIL in (x) (a.clj:1)
Syntax error
✘ [fail]: x
(in test file a.bats, line 1)
not ok 1 - x
Warning: x in a.php on line 1
npm error code EX
::error file=a::
a.c:(.text+0x1): undefined reference
In a.sh line 1:
FILE: a.php
[warn] a.js
** (A) a.ex:1: x
[ RUN      ] A.b
[  FAILED  ] A.b (0 ms)
(fail) x [1ms]
FAIL: x
Failure -> a.lua @ 3
Failure: test_x(A)
  MethodSource [className = 'A', methodName = 'x']
#   Failed test 'x'
name ... FAILED
name => ./a.ts:1:2
2 failed
Failing scenarios:
Error: x
  a.zz:1:2
ERROR in ./a.js 2:13
CMake Error at CMakeLists.txt:5 (x):
==1==ERROR: AddressSanitizer: x
    #0 0x1 in f /a.c:4
TEST CASE:  x
a.cc:7: FAILED:
@shop/api:build: x
npm error path /a
> a@1.0.0 test
3 tests, 2 failures
`.split("\n");
const BETWEEN = ["\n", "\n\n", "\r", "  ", "    ", " - ", "\u001B[31m", "[[[[", "))))", "x".repeat(50)];

test("any mixture of what tools print gives a digest within the budget", () => {
  assert(
    property(array(constantFrom(...PIECES, ...BETWEEN), { maxLength: 200 }), (pieces) => {
      expect(digest(pieces.join(""), 1000).length).toBeLessThanOrEqual(1000);
    }),
  );
});

/** A megabyte with `npm run fuzz`. */
const LENGTH = Math.min(1_000_000, runs(250_000));

function numbers(word: string): readonly string[] {
  return Array.from({ length: LENGTH / 25 }, (_, index) => `${word}${index}`);
}

test.each([
  ["one line", "x".repeat(LENGTH)],
  ["one line of blanks", " ".repeat(LENGTH)],
  ["one line of places", "a.ts:1:2: ".repeat(LENGTH / 10)],
  ["nested brackets", "(".repeat(LENGTH / 2) + ")".repeat(LENGTH / 2)],
  ["nested JSON", '[{"'.repeat(LENGTH / 3)],
  ["unclosed XML", "<testsuite><testcase ".repeat(LENGTH / 20)],
  ["blank lines", "\n".repeat(LENGTH)],
  ["carriage returns", "50%\r".repeat(LENGTH / 4)],
  ["escape codes", "\u001B[".repeat(LENGTH / 2)],
  ["unfinished titles", "\u001B]0;".repeat(LENGTH / 4)],
  ["headings without bodies", "  ● a › b\n".repeat(LENGTH / 10)],
  ["frames", "    at f (/a/b.js:1:2)\n".repeat(LENGTH / 20)],
  ["failing tests", "--- FAIL: TestA (0.00s)\n".repeat(LENGTH / 20)],
  ["failing tests without output", "FAIL  a.test.ts > x\n".repeat(LENGTH / 20)],
  ["a test that fails again and again", "--- FAIL: TestA (0.00s)\n    a_test.go:1: x\n".repeat(LENGTH / 44)],
  ["listed tests", `${numbers("  ✘ [fail]: x").join("\n")}\n${numbers("  x").join("\n")}`],
  ["tracebacks", "Traceback (most recent call last):\n".repeat(LENGTH / 30)],
  ["not ok", "not ok 1 - a\n".repeat(LENGTH / 12)],
  ["marks without explanations", "[  FAILED  ] A.b\n".repeat(LENGTH / 17)],
  ["marks with explanations", "1) a\n   expected 1\n   at a.zz:1\n".repeat(LENGTH / 32)],
  ["headings of expected failures", "Pending: x\n  1) a\n".repeat(LENGTH / 18)],
  ["lists of failed tests", `2 failed\n${numbers("  name ").join("\n")}\n`],
  ["complaints", "Error: x\n  a.zz:1:2\n".repeat(LENGTH / 20)],
  ["complaints without places", "Error: x\n".repeat(LENGTH / 9)],
  ["sanitizer reports", "==1==ERROR: AddressSanitizer: x\n    #0 0x1 in f /a.c:4\n".repeat(LENGTH / 55)],
  ["assertions without a name", "a.cc:7: FAILED:\n  CHECK( x )\n".repeat(LENGTH / 30)],
  ["tasks of a runner", "@shop/api:build: npm error path /a\n".repeat(LENGTH / 35)],
  ["many tasks", numbers("> a@1.0.0 t").join("\n")],
  ["a name that never ends", `${"a".repeat(LENGTH / 2)}.ts:1:2 Error: ${"a.".repeat(LENGTH / 4)}`],
  ["annotations", "::error file=a::".repeat(LENGTH / 15)],
])(
  "%s at length is digested",
  (_, text) => {
    expect(digest(text).length).toBeLessThanOrEqual(9000);
  },
  60_000, // a parser that is quadratic takes much longer; a busy machine does not
);
