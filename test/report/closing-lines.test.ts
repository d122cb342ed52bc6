import { createColors } from "picocolors";
import { expect, test } from "vitest";
import type { Problem } from "../../src/feedback/problem.ts";
import type { GateOutcome } from "../../src/gates/outcome.ts";
import { projectPath } from "../../src/path.ts";
import { addedBy, closingLines } from "../../src/report/closing-lines.ts";
import { gateLabels } from "../../src/report/plain-lines.ts";
import { wrap } from "../../src/report/wrap.ts";

const ROOT = projectPath(".");

function failed(name: string, rest: Partial<GateOutcome> = {}): GateOutcome {
  const base = { gate: "check", name, scope: ROOT, workingDirectory: ROOT, warnOnly: false, durationMs: 5 };
  return { ...base, id: `check:.:${name}`, kind: "failed", detail: "exit code 1", ...rest } as GateOutcome; // a test's own shorthand
}

function problem(line: number, rest: Partial<Problem> = {}): Problem {
  return { file: "src/a.ts", line, severity: "error", message: `wrong ${line}`, ...rest };
}

function closing(
  gates: readonly GateOutcome[],
  problems: Record<string, readonly Problem[]>,
  columns?: number,
) {
  const byId = Object.fromEntries(Object.entries(problems).map(([name, all]) => [`check:.:${name}`, all]));
  const facts = { labelOf: gateLabels(gates), colours: createColors(false), columns };
  return closingLines({ outcomes: gates, problems: byId }, facts);
}

test("one line for each problem, with both values of an assertion; what several gates report is said once", () => {
  const assertion = problem(4, {
    test: "cart > counts every item",
    message: "AssertionError: expected 350 to be 1050 // Object.is equality",
    excerpt: "- Expected\n+ Received\n\n- 1050\n+ 350",
  });

  const lines = closing(
    [failed("test"), failed("unit"), failed("e2e", { logPath: projectPath("logs/e2e.log") })],
    {
      test: [assertion],
      unit: [assertion],
    },
  );

  expect(lines).toEqual([
    "✗ test, unit  src/a.ts:4  cart > counts every item: expected 1050, got 350",
    "✗ e2e         failed: exit code 1 (logs/e2e.log)",
  ]);
});

test("what only warns comes last, and warnings of a gate with errors are not listed", () => {
  const lines = closing([failed("style", { warnOnly: true }), failed("lint")], {
    style: [problem(1)],
    lint: [problem(2, { severity: "warning" }), problem(3, { code: "eqeqeq" })],
  });

  expect(lines).toEqual(["✗ lint   src/a.ts:3  eqeqeq: wrong 3", "! style  src/a.ts:1  wrong 1"]);
});

test("ten problems are listed, at least one of each gate, the others counted", () => {
  const many = Array.from({ length: 20 }, (_, index) =>
    problem(index, { message: `wrong ${"x".repeat(index)}` }),
  );

  const lines = closing([failed("lint"), failed("test")], { lint: many, test: [problem(99)] });

  expect(lines).toHaveLength(11);
  expect(lines.at(-2)).toBe("✗ test  src/a.ts:99  wrong 99");
  expect(lines.at(-1)).toBe("  and 11 more: `agent-gauntlet report` shows them");
});

test.each([40, 80, 200])(
  "on %i columns no line is wider, no word is cut, and all fit on a screen",
  (columns) => {
    const text = "the quick brown fox jumps over the lazy dog and another one, twice, and on it goes";
    const many = Array.from({ length: 12 }, (_, index) =>
      problem(index, { message: `${text} ${"x".repeat(index)}` }),
    );

    const lines = closing([failed("lint")], { lint: many }, columns);

    expect(lines.length).toBeLessThanOrEqual(13);
    for (const line of lines.slice(0, -1)) {
      expect(line.length).toBeLessThanOrEqual(columns);
      const words = line.replace(/^.*?src\/a\.ts:\d+ {2}|…/, "").split(" ");
      expect(
        words.every((word) => /^(?:✗|lint|…|x*|src\/a\.ts:\d+)$/.test(word) || text.includes(word)),
      ).toBe(true);
    }
  },
);

test("words that do not fit in the rows there are end in an ellipsis", () => {
  expect(wrap("one two three four", 9, "  ")).toEqual(["one two", "  three", "  four"]);
  expect(wrap("one two three four", 9, "  ", 2)).toEqual(["one two", "  three …"]);
  expect(wrap("averyveryverylongword two", 9)).toEqual(["averyveryverylongword", "two"]);
});

test("a digest that says only what the closing lines say adds nothing", () => {
  const said = "1 error in 1 file:\nsrc/a.ts:1 error: wrong 1\nFull log: logs/a.log";

  expect(addedBy(said, [problem(1)])).toBe("");
  expect(addedBy(`${said}\n    at src/b.ts:3`, [problem(1)])).not.toBe("");
});
