import { describe, expect, test } from "vitest";
import { type Draft, type GateText, digestGates, readGate } from "../../src/feedback/digest.ts";
import { fingerprint } from "../../src/feedback/problem.ts";

function gate(text: string, more: Partial<GateText> = {}, previous?: readonly string[]): Draft {
  const place = { logPath: "logs/lint.log", projectRoot: "/tmp/project" };
  return readGate({ id: "check:.:lint", name: "lint", text, ...place, ...more }).draft(previous);
}

describe("digestGates", () => {
  test("names every problem with its place and the log for the rest", () => {
    const [digest] = digestGates(
      [gate("/tmp/project/src/a.c:3:9: error: expected ';'\nsrc/b.c:1: warning: unused\n")],
      9000,
    );

    expect(digest).toMatchInlineSnapshot(`
      "2 problems in 2 files: 1 error, 1 warning
      src/a.c:3:9 error: expected ';'
      src/b.c:1 warning: unused
      Full log: logs/lint.log"
    `);
  });

  test("shows the first error, the last error and the end when no tool is recognised", () => {
    const filler = Array.from({ length: 500 }, (_, index) => `step ${index} of the build`);
    const text = [...filler, "Error: disk is full", ...filler, "fatal: giving up", ...filler, "bye"].join(
      "\n",
    );

    const [digest = ""] = digestGates([gate(text)], 1500);

    expect(digest).toContain("Error: disk is full");
    expect(digest).toContain("fatal: giving up");
    expect(digest).toContain("bye");
    expect(digest.length).toBeLessThanOrEqual(1500);
  });

  test("says so when there is nothing to show", () => {
    expect(digestGates([gate("\n \n")], 9000)).toEqual(["It printed nothing."]);
    expect(digestGates([gate("\n".repeat(4_000_000))], 9000)).toEqual(["It printed nothing."]);
  });

  test("keeps what TAP says was expected below an error on one line", () => {
    const point = ["not ok 1 - adds", "  ---", "  error: '2 == 3'", "  expected: 3", "  actual: 2", "  ..."];

    const [digest] = digestGates([gate(["TAP version 13", ...point, "1..1"].join("\n"))], 9000);

    expect(digest).toContain("failed: adds: 2 == 3\n    expected: 3\n    actual: 2\n");
  });

  test("loses nothing of a log that fits: what the list does not say stands below it", () => {
    const [digest] = digestGates(
      [gate("starting the linter\nsrc/a.c:3:9: error: expected ';'\nhint: see the manual\n")],
      9000,
    );

    expect(digest).toMatchInlineSnapshot(`
      "1 error in 1 file:
      src/a.c:3:9 error: expected ';'
      What else the log says:
      starting the linter
      hint: see the manual
      Full log: logs/lint.log"
    `);
  });

  test("leaves out how long a failed test took, and the frames of its runner", () => {
    const frames = [
      "at Object.<anonymous> (/tmp/project/a.test.js:3:9)",
      "at Test.run (node:internal/test_runner/test:1054:25)",
    ];
    const stack = ["  stack: |-", ...frames.map((frame) => `    ${frame}`)];
    const point = ["not ok 1 - adds", "  ---", "  duration_ms: 1.25", "  error: '2 == 3'", ...stack, "  ..."];

    const [digest] = digestGates([gate(["TAP version 13", ...point, "1..1"].join("\n"))], 9000);

    expect(digest).toContain("a.test.js:3:9 failed: adds: 2 == 3");
    expect(digest).not.toMatch(/duration_ms|test_runner/);
  });

  test("reads the places of go vet", () => {
    const [digest] = digestGates([gate("# example.com/x\nvet: ./a.go:5:2: undefined: x\n")], 9000);

    expect(digest).toContain("a.go:5:2 error: undefined: x");
  });

  test("joins what mypy wraps over several lines", () => {
    const wrapped = [
      'm.py:4: error: List item 0 has the type "str";',
      'expected "int"  [list-item]',
      '    rows = ["a"]',
      "            ^~~",
    ];
    const code = [
      'm.py:7: error: Item "None" has no attribute "group" ',
      "[union-attr]",
      "    match.group(0)",
    ];

    const [digest] = digestGates([gate([...wrapped, ...code].join("\n"))], 9000);

    expect(digest).toContain('m.py:4 error list-item: List item 0 has the type "str"; expected "int"');
    expect(digest).toContain('m.py:7 error union-attr: Item "None" has no attribute "group"');
  });

  test("counts a Vitest test once, whatever spaces its name ends with, also one without a name", () => {
    const list = [
      " ❯ a.test.ts (3 tests | 2 failed) 15ms",
      "     × a == b  1ms",
      "     ×  1ms",
      "     ✓ fine 0ms",
    ];
    const failures = ["a == b ", ""].flatMap((name) => [
      ` FAIL  a.test.ts > suite > ${name}`,
      "AssertionError: no",
      "",
    ]);

    const [digest] = digestGates(
      [gate([...list, "", ...failures, " Tests  2 failed | 1 passed (3)"].join("\n"))],
      9000,
    );

    expect(digest).toMatch(/^2 failing tests in 1 file:/);
    expect(digest).not.toContain("1ms: failed");
  });

  test("shows the project's paths relative in the rest of the log, too", () => {
    const text = [
      "src/a.c:3:9: error: bad",
      "  in /tmp/my project/src/b.c and (file:///tmp/my%20project/src/na%C3%AFve.mjs:4:31)",
    ].join("\n");

    const { draft } = readGate({
      id: "g",
      name: "g",
      text,
      logPath: "g.log",
      projectRoot: "/tmp/my project",
    });

    expect(draft()(2000)).toContain("  in src/b.c and (src/naïve.mjs:4:31)");
  });

  test("says so when the tool counts failures apart that have one name and one place", () => {
    const failures = [1, 2].map(
      (number) =>
        `  ${number}) router\n       responds:\n     Error: expected 1\n      at Context.<anonymous> (test/a.js:3:6)\n`,
    );
    const text = `  0 passing (9ms)\n  2 failing\n\n${failures.join("\n")}`;

    const [digest] = digestGates([gate(text)], 9000);

    expect(digest).toContain("1 failing test in 1 file:\nThe tool counts 2: what has one name and one place");
  });

  test("says so when the tool counts more failures than were read, and shows the rest", () => {
    const filler = Array.from({ length: 1000 }, (_, index) => `step ${index} of the build`);
    const text = [
      ...filler,
      "src/a.c:3:9: error: x",
      ...filler,
      "FAILED odd/thing (see 12)",
      ...filler,
      "9 errors",
    ];

    const [digest] = digestGates([gate(text.join("\n"))], 9000);

    expect(digest).toContain("The tool counts 9");
    expect(digest).toContain("FAILED odd/thing (see 12)");
    expect(digest).not.toContain("step 400");
  });

  test("names every failure, and gives as many of them their message as there is room for", () => {
    const text = [
      "TAP version 13",
      ...Array.from({ length: 200 }, (_, index) => failedPoint(index + 1)).flat(),
    ];

    const [digest = ""] = digestGates([gate(text.join("\n"))], 9000);

    expect(digest).toContain("t/a.js:1:1 failed: number 1: expected 1, got 0");
    expect(digest).toContain("t/a.js:199:1 failed: number 199\n");
    expect(digest.match(/got 0/g)?.length).toBeGreaterThan(100);
    expect(digest.length).toBeGreaterThan(8900);
  });

  test("tells once what failed alike in several files, and names all of them", () => {
    const failed = ["a", "b", "c"].flatMap((name) => [
      ` FAIL  test/${name}.test.ts [ test/${name}.test.ts ]`,
      "Error: Failed to start threads worker for test files test/x.",
      "Caused by: Error: Timeout",
      "",
    ]);

    const [digest] = digestGates([gate([...failed, " Test Files  3 failed (3)"].join("\n"))], 9000);

    expect(digest).toMatchInlineSnapshot(`
      "3 errors in 3 files:
      test/a.test.ts error: Error: Failed to start threads worker for test files test/x.
          Caused by: Error: Timeout
          the same: test/b.test.ts
          the same: test/c.test.ts
      Full log: logs/lint.log"
    `);
  });

  test("follows a list of which the tool's own count proves that it is whole with nothing but what failed tests printed", () => {
    const [digest] = digestGates([gate(VITEST)], 9000);

    expect(digest).toMatchInlineSnapshot(`
      "1 failing test in 1 file:
      test/cart.test.ts:11:26 failed: cart > counts every item: AssertionError: expected 700 to be 1050 // Object.is equality
          - Expected
          + Received

          - 1050
          + 700

                9|     ];
               10|     console.log("hello from the test", items.length);
               11|     expect(total(items)).toBe(1050);
                 |                          ^
               12|   });
               13|   it("is empty", () => { expect(total([])).toBe(0); });
      What else the log says:
      stdout | test/cart.test.ts > cart > counts every item
      hello from the test 2
      Full log: logs/lint.log"
    `);
  });

  test("takes neither the heading of a list nor a suite for a test, and the number in a title for no count", () => {
    const text = [
      "▶ cart",
      "  ✔ counts 415 errors (0.5ms)",
      "  ✖ adds (25.1ms)",
      ...assertionIn("    "),
      "",
      "✖ cart (26.7ms)",
      "ℹ tests 2",
      "ℹ pass 1",
      "ℹ fail 1",
      "",
      "✖ failing tests:",
      "",
      "test at a.test.mjs:4:1",
      "✖ adds (25.1ms)",
      ...assertionIn("  "),
    ];

    const [digest] = digestGates([gate(text.join("\n"))], 9000);

    expect(digest).toMatchInlineSnapshot(`
      "1 failing test in 1 file:
      a.test.mjs:4:61 failed: adds: AssertionError [ERR_ASSERTION]: 2 == 3
      Full log: logs/lint.log"
    `);
  });

  test("takes the column of a place for no count", () => {
    const [digest] = digestGates([gate("src/a.mjs:1:5 error no-unused-vars a is unused\n")], 9000);

    expect(digest).toBe(
      "1 error in 1 file:\nsrc/a.mjs:1:5 error: no-unused-vars a is unused\nFull log: logs/lint.log",
    );
  });

  test("gives what one gate does not need to the others", () => {
    const long = Array.from(
      { length: 400 },
      (_, index) => `src/file.c:${index + 1}:1: error: bad thing number ${index}`,
    );
    const alone = digestGates([gate(long.join("\n"))], 9000);

    const [short = "", shared = ""] = digestGates(
      [gate("src/a.c:3:9: error: x"), gate(long.join("\n"))],
      9000,
    );

    expect(short).toContain("src/a.c:3:9 error: x");
    expect(short.length + shared.length).toBeLessThanOrEqual(9000);
    expect(shared.length).toBeGreaterThan((alone[0]?.length ?? 0) - 200);
  });

  test("states the exact total when not every problem fits", () => {
    const long = Array.from(
      { length: 4000 },
      (_, index) => `src/file${index}.c:${index + 1}:1: error: bad thing ${index}`,
    );

    const [digest = ""] = digestGates([gate(long.join("\n"))], 9000);

    expect(digest).toContain("4000 problems");
    expect(digest).toMatch(/… and \d+ more, not listed/);
    expect(digest.length).toBeLessThanOrEqual(9000);
  });

  test("never cuts inside a character", () => {
    const [digest = ""] = digestGates([gate(`src/a.c:1:1: error: ${"👩‍👩‍👧‍👦".repeat(500)}`)], 200);

    expect(digest.length).toBeLessThanOrEqual(200);
    expect(digest).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
    expect(digest).not.toMatch(/\u200D…/);
  });

  test("says what is gone, still there and new, and keeps known problems short", () => {
    const previous = [
      fingerprint({ file: "src/a.c", severity: "error", message: "expected ';'" }),
      fingerprint({ file: "src/b.c", severity: "error", message: "gone" }),
    ];

    const [digest] = digestGates(
      [gate("src/a.c:30:9: error: expected ';'\nsrc/c.c:1:1: error: other", {}, previous)],
      9000,
    );

    expect(digest).toMatchInlineSnapshot(`
      "2 errors in 2 files:
      Since the last attempt: 1 gone, 1 still there, 1 new.
      src/c.c:1:1 error: other
      src/a.c:30:9 error: expected ';'
      Full log: logs/lint.log"
    `);
  });

  test("reads nothing with the parser turned off", () => {
    const [digest] = digestGates([gate("src/a.c:3:9: error: expected ';'", { parser: "none" })], 9000);

    expect(digest).toBe("src/a.c:3:9: error: expected ';'\nFull log: logs/lint.log");
  });
});

function failedPoint(number: number): readonly string[] {
  const said = [`  error: 'expected ${number}, got 0'`, `  at: '/tmp/project/t/a.js:${number}:1'`];
  return [`not ok ${number} - number ${number}`, "  ---", ...said, "  ..."];
}

function assertionIn(indent: string): readonly string[] {
  return [
    `${indent}AssertionError [ERR_ASSERTION]: 2 == 3`,
    `${indent}    at TestContext.<anonymous> (file:///tmp/project/a.test.mjs:4:61)`,
    `${indent}    at async Promise.all (index 0)`,
  ];
}

const VITEST = `npm notice New minor version of npm available! 11.0.0 -> 11.6.2
npm notice To update run: npm install -g npm@11.6.2

> test
> vitest run

 RUN  v4.1.12 /tmp/project

stdout | test/cart.test.ts > cart > counts every item
hello from the test 2

stdout | test/cart.test.ts > cart > is empty
hello from a test that passed

 ❯ test/cart.test.ts (3 tests | 1 failed) 7ms
     × counts every item 5ms
     ✓ is empty 0ms

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  test/cart.test.ts > cart > counts every item
AssertionError: expected 700 to be 1050 // Object.is equality

- Expected
+ Received

- 1050
+ 700

 ❯ test/cart.test.ts:11:26
      9|     ];
     10|     console.log("hello from the test", items.length);
     11|     expect(total(items)).toBe(1050);
       |                          ^
     12|   });
     13|   it("is empty", () => { expect(total([])).toBe(0); });

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯


 Test Files  1 failed (1)
      Tests  1 failed | 2 passed (3)
   Start at  21:28:44
   Duration  277ms (transform 61ms, setup 0ms, import 68ms, tests 7ms, environment 0ms)
`;
