import { describe, expect, test } from "vitest";
import { readGate } from "../../src/feedback/digest.ts";

function problemsOf(text: string, more: object = {}) {
  return readGate({ id: "g", name: "g", text, logPath: "g.log", projectRoot: "/tmp/project", ...more })
    .problems;
}

function only(file: string): (path: string) => boolean {
  return (path) => path === file;
}

describe("places", () => {
  test.each([
    ["absolute", "/tmp/project/src/a.c:3:9: error: x", "src/a.c"],
    ["relative with a dot", "./src/a.c:3:9: error: x", "src/a.c"],
    ["outside the project", "/usr/include/stdio.h:3:9: error: x", "/usr/include/stdio.h"],
    ["with brackets", "app/(shop)/[id]/page.tsx(3,9): error TS2322: x", "app/(shop)/[id]/page.tsx"],
    ["as a URL", "file:///tmp/project/src/a.mjs:3:9: error: x", "src/a.mjs"],
    ["a name of digits", "src/0.js:3:9: error: x", "src/0.js"],
    ["a name of digits at the root", "0.js:3:9: error: x", "0.js"],
    ["a name without a Latin letter", "src/数.js:3:9: error: x", "src/数.js"],
    ["a name of digits under a compiler", "src/2024.ts(3,9): error TS2322: x", "src/2024.ts"],
  ])("%s", (_, line, file) => {
    expect(problemsOf(line)).toMatchObject([{ file, line: 3, column: 9 }]);
  });

  test.each([
    ["relative", "my dir/a b.c:3:9: error: x"],
    ["absolute", "/tmp/project/my dir/a b.c:3:9: error: x"],
    ["behind a severity", "error: my dir/a b.c:3:9: x"],
    ["of a compiler that points", "error: x\n --> my dir/a b.c:3:9"],
    ["without a severity", "my dir/a b.c:3:9: F401 unused"],
    ["above its rows", "/tmp/project/my dir/a b.c\n  3:9  error  unused  no-unused-vars"],
    ["in a sentence", "Error: cannot read my dir/a b.c:3:9"],
  ])("with spaces in its name, %s, where that file exists", (_, text) => {
    expect(problemsOf(text, { isFile: only("my dir/a b.c") })).toMatchObject([
      { file: "my dir/a b.c", line: 3, column: 9 },
    ]);
  });

  test("behind a sentence, with no such file", () => {
    expect(problemsOf("Error at src/a.c:3:9: x", { isFile: only("src/a.c") })).toMatchObject([
      { file: "src/a.c", line: 3 },
    ]);
  });

  test.each([
    ["spaces", "a b", "file:///tmp/my%20project/src/a%20b.mjs"],
    ["letters beyond ASCII", "naïve", "file:///tmp/my%20project/src/na%C3%AFve.mjs"],
    ["quotes", 'say "x"', "file:///tmp/my%20project/src/say%20%22x%22.mjs"],
    ["an apostrophe", "it's", "file:///tmp/my%20project/src/it's.mjs"],
    ["a per cent sign", "a%", "file:///tmp/my%20project/src/a%25.mjs"],
  ])("in a URL with %s are decoded and relative", (_, name, url) => {
    const [problem] = problemsOf(`${url}:3:9: error: see ${url}`, { projectRoot: "/tmp/my project" });

    expect(problem).toMatchObject({ file: `src/${name}.mjs`, message: `see src/${name}.mjs` });
  });

  test("of a stack frame are decoded too", () => {
    const tap = `TAP version 13
not ok 1 - adds
  ---
  failureType: 'testCodeFailure'
  error: 'no'
  stack: |-
    TestContext.<anonymous> (file:///tmp/it's%20a%20na%C3%AFve%20%22dir%22/a%20b.test.mjs:2:29)
  ...
1..1
`;

    expect(problemsOf(tap, { projectRoot: `/tmp/it's a naïve "dir"` })).toMatchObject([
      { file: "a b.test.mjs", line: 2, column: 29 },
    ]);
  });

  test("of Windows are made relative, whatever the case of the drive", () => {
    const [problem] = problemsOf(String.raw`c:\work\shop\src\a.ts(3,9): error TS2322: x`, {
      projectRoot: String.raw`C:\work\shop`,
    });

    expect(problem).toMatchObject({ file: "src/a.ts", line: 3, column: 9, code: "TS2322" });
  });

  test("start from the directory the gate ran in", () => {
    const [problem] = problemsOf("../shared/a.c:3:9: error: x", { workingDirectory: "packages/web" });

    expect(problem?.file).toBe("packages/shared/a.c");
  });

  test.each([
    "12:30:45: error: late",
    "http://localhost:3000: error",
    "example.com:443: connection refused",
    "127.0.0.1:8080: listening",
    "    at Object.<anonymous> (/tmp/project/a.js:1:2)",
    "src/a.c:3:9: note: declared here",
    "v1.2.3:4: released",
  ])("are not seen in %s", (line) => {
    expect(problemsOf(line)).toEqual([]);
  });
});

test("tests that PHPUnit lists as skipped or risky are no failures", () => {
  const text = `There was 1 failure:

1) CartTest::testAdd
Failed asserting that 3 is 4.

/tmp/project/CartTest.php:10

--

There was 1 skipped test:

1) CartTest::testLater
not today

/tmp/project/CartTest.php:20
`;

  expect(problemsOf(text)).toMatchObject([{ file: "CartTest.php", line: 10, test: "CartTest::testAdd" }]);
});

test("a pinned parser reads alone", () => {
  const text = "src/a.ts(1,2): error TS1: x\nsrc/a.c:3:9: error: y";

  expect(problemsOf(text, { parser: "tsc" })).toMatchObject([{ file: "src/a.ts" }]);
});

describe("reports for machines", () => {
  const junit = `<?xml version="1.0"?><testsuites><testsuite name="s">
<testcase classname="calc" name="good"/>
<testcase classname="calc" name="adds &amp; more" file="calc.test.js"><failure message="expected 3 &lt; 2">AssertionError
    at Context (calc.test.js:7:3)</failure></testcase></testsuite></testsuites>`;
  const sarif = JSON.stringify({
    runs: [
      {
        tool: { driver: { name: "scan" } },
        results: [
          {
            ruleId: "R1",
            level: "warning",
            message: { text: "bad" },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: "src/a.c" },
                  region: { startLine: 3, startColumn: 9 },
                },
              },
            ],
          },
        ],
      },
    ],
  });

  test("JUnit XML", () => {
    expect(problemsOf("", { report: junit })).toMatchObject([
      { file: "calc.test.js", line: 7, test: "calc adds & more", message: "expected 3 < 2" },
    ]);
  });

  test("SARIF", () => {
    expect(problemsOf("log", { report: sarif })).toEqual([
      { file: "src/a.c", line: 3, column: 9, severity: "warning", code: "R1", message: "bad" },
    ]);
  });

  test("TAP", () => {
    const report = "TAP version 13\nok 1 - a\nnot ok 2 - b\n  ---\n  at: 't/b.js:4:2'\n  ...\n";

    expect(problemsOf("", { report })).toMatchObject([{ file: "t/b.js", line: 4, test: "b" }]);
  });

  test("Playwright's JSON", () => {
    const error = {
      message: "\u001B[31mexpected 3\u001B[39m\nto be 2",
      location: { file: "/tmp/project/t/a.spec.ts", line: 4, column: 9 },
    };
    const spec = {
      title: "adds up",
      ok: false,
      file: "a.spec.ts",
      line: 2,
      tests: [{ results: [{ status: "failed", error }] }],
    };
    const report = JSON.stringify({
      config: {},
      suites: [{ title: "a.spec.ts", specs: [], suites: [{ specs: [spec] }] }],
    });

    expect(problemsOf("", { report })).toMatchObject([
      { file: "t/a.spec.ts", line: 4, test: "adds up", message: "expected 3", excerpt: "to be 2" },
    ]);
  });

  test("the JSON of pytest-json-report", () => {
    const crash = { path: "/tmp/project/tests/test_a.py", lineno: 7, message: "assert 1 == 2\n +  where" };
    const tests = [
      { nodeid: "tests/test_a.py::test_fine", outcome: "passed", call: { outcome: "passed" } },
      { nodeid: "tests/test_a.py::TestA::test_adds", outcome: "failed", call: { outcome: "failed", crash } },
    ];

    expect(problemsOf("", { report: JSON.stringify({ created: 1, tests }) })).toMatchObject([
      { file: "tests/test_a.py", line: 7, test: "TestA::test_adds", message: "assert 1 == 2" },
    ]);
  });

  test("cargo --message-format=json", () => {
    const spans = [{ is_primary: true, file_name: "src/main.rs", line_start: 3, column_start: 5 }];
    const message = { message: "mismatched types", level: "error", code: { code: "E0308" }, spans };
    const report = [{ reason: "compiler-artifact" }, { reason: "compiler-message", message }]
      .map((one) => JSON.stringify(one))
      .join("\n");

    expect(problemsOf("", { report })).toMatchObject([
      { file: "src/main.rs", line: 3, code: "E0308", message: "mismatched types" },
    ]);
  });

  test("a broken report is no report: the log is read", () => {
    expect(problemsOf("src/a.c:3:9: error: x", { report: "{ not json" })).toMatchObject([
      { file: "src/a.c" },
    ]);
  });
});

test("output of several programs side by side is read program by program", () => {
  const text = [
    "[a] src/x.js",
    "[b] src/y.js",
    "[a]   1:2  error  one  rule-a",
    "[b]   3:4  error  two  rule-b",
  ];
  const more = ["[a] ", "[b] ", "[a] done", "[b] done", "[a] bye", "[b] bye"];

  expect(problemsOf([...text, ...more].join("\n"))).toMatchObject([
    { file: "src/x.js", line: 1, code: "rule-a" },
    { file: "src/y.js", line: 3, code: "rule-b" },
  ]);
});

describe("tools without a parser", () => {
  test("a mark, a name and a place below it are a failed test", () => {
    const text = [
      "1) adds up",
      "   expected 3, got 2",
      "   at src/calc.test.zz:7",
      "",
      "1 test, 1 failure",
    ].join("\n");

    expect(problemsOf(text)).toMatchObject([{ file: "src/calc.test.zz", line: 7, test: "adds up" }]);
  });

  test("a mark below what it is about takes what stands above it", () => {
    const text = [
      "[ RUN      ] Calc.Adds",
      "calc_test.cc:7: Failure",
      "Expected: 3",
      "[  FAILED  ] Calc.Adds (0 ms)",
      "[ RUN      ] Calc.Fine",
      "[       OK ] Calc.Fine (0 ms)",
      "[  FAILED  ] 1 test, listed below:",
      "[  FAILED  ] Calc.Adds",
    ];

    expect(problemsOf(text.join("\n"))).toMatchObject([{ file: "calc_test.cc", line: 7, test: "Calc.Adds" }]);
  });

  test("a severity and a place on two lines are a complaint, in either order", () => {
    const text = ["Error: no such thing", "  src/a.zz:3:4", "", "src/b.zz:5:6", "Error: nor this one"].join(
      "\n",
    );

    expect(problemsOf(text)).toMatchObject([
      { file: "src/a.zz", line: 3, message: "no such thing" },
      { file: "src/b.zz", line: 5, message: "nor this one" },
    ]);
  });

  test("a data race is named with the first place in the project", () => {
    const text = [
      "==================",
      "WARNING: DATA RACE",
      "Write at 0x00c000018158 by goroutine 8:",
      "  shop.add()",
      "      /tmp/project/cart/cart.go:12 +0x44",
      "==================",
    ];

    expect(problemsOf(text.join("\n"))).toMatchObject([
      { file: "cart/cart.go", line: 12, message: "DATA RACE" },
    ]);
  });

  test("what passing tests log is no problem", () => {
    const text = [
      "ERROR    app:calc.py:7 connection failed",
      "FAIL is a word",
      "=== 12 passed in 0.1s ===",
    ].join("\n");

    expect(problemsOf(text)).toEqual([]);
  });

  test("a place without a complaint is no problem", () => {
    const text = 'calc.cpp(4): Entering test case "adds"\ncalc.cpp(5): info: check 1 == 1 has passed';

    expect(problemsOf(text)).toEqual([]);
  });

  test.each(["1.5s:30: error: x", "0.25ms (3): error: x", "1.0.rc1:4: error: x", "12.5:30: error: x"])(
    "a measure or a version is no place: %s",
    (text) => {
      expect(problemsOf(text).filter(({ file }) => file !== undefined)).toEqual([]);
    },
  );

  test("failures that were expected are none", () => {
    const text = [
      "Pending: (Failures listed here are expected)",
      "",
      "  1) is not done",
      "     expected 1",
      "     at a_spec.zz:3",
    ].join("\n");

    expect(problemsOf(text)).toEqual([]);
  });
});

test("paths of a package's task get its directory where that file is there", () => {
  const text = [
    "@shop/api:build: src/a.ts(2,1): error TS1: x",
    "@shop/api:build: done",
    "@shop/web:build: src/b.ts(3,1): error TS2: y",
    "@shop/web:build: done",
  ];
  const there = new Set(["packages/api/src/a.ts"]);

  expect(problemsOf(text.join("\n"), { isFile: (path: string) => there.has(path) })).toMatchObject([
    { file: "packages/api/src/a.ts" },
    { file: "src/b.ts" },
  ]);
});

describe("paths inside the container of a service", () => {
  const text = [
    "api-1  | /app/src/a.ts(2,1): error TS1: x",
    "api-1  | done",
    "web-1  | /usr/src/app/src/b.ts(3,1): error TS2: y",
    "web-1  | /usr/lib/c.d.ts(4,1): error TS3: z",
  ].join("\n");

  test.each([
    ["its directory", ["api/src/a.ts", "services/web/src/b.ts"]],
    ["the project", ["src/a.ts", "src/b.ts"]],
  ])("become those in %s, where those files are there", (_, there) => {
    expect(problemsOf(text, { isFile: (path: string) => there.includes(path) })).toMatchObject([
      { file: there[0] },
      { file: there[1] },
      { file: "/usr/lib/c.d.ts" },
    ]);
  });

  test("stay as they are for a program that is not in a container", () => {
    const local = text.replaceAll(/(\w+)-1 {2}\|/g, "@shop/$1:build:");

    expect(problemsOf(local, { isFile: only("api/src/a.ts") })).toMatchObject([
      { file: "/app/src/a.ts" },
      { file: "/usr/src/app/src/b.ts" },
      { file: "/usr/lib/c.d.ts" },
    ]);
  });
});

test("a pattern of the project's own reads what no parser knows", () => {
  const parser = {
    pattern: String.raw`^(?<file>.+?) at (?<line>\d+) => (?<message>.*)$`,
    kind: "lint",
  } as const;

  expect(problemsOf("src/a.zz at 7 => no good\nfine", { parser })).toMatchObject([
    { file: "src/a.zz", line: 7, message: "no good" },
  ]);
});
