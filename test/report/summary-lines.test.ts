import { expect, test } from "vitest";
import { type GateOutcome, isCounted } from "../../src/gates/outcome.ts";
import { projectPath } from "../../src/path.ts";
import { outcomeInLedger, usualTimes, type VerdictRecord } from "../../src/ledger/verdict-record.ts";
import { liveLines, rowsOf } from "../../src/report/live-lines.ts";
import { finishedLine, gateLabels } from "../../src/report/plain-lines.ts";
import { runSummary } from "../../src/report/summary-lines.ts";
import { verdictLine } from "../../src/report/verdict-lines.ts";

const ROOT = projectPath(".");

function outcome(name: string, durationMs: number, rest: Partial<GateOutcome> = {}): GateOutcome {
  const base = {
    id: `check:.:${name}`,
    gate: "check",
    name,
    scope: ROOT,
    workingDirectory: ROOT,
    warnOnly: false,
  };
  return { ...base, kind: "passed", durationMs, ...rest } as GateOutcome; // a test's own shorthand
}

const labelOf = (id: string): string => id.replace("check:.:", "");

test("a guard that found nothing is not counted among the gates", () => {
  const silent = outcome("weakened-tests", 3, { gate: "guard" });
  const told = outcome("suppressions", 3, { gate: "guard", warning: "a.py:1 type checker switched off" });
  const facts = { usual: new Map<string, number>(), labelOf };

  expect([outcome("a", 400), silent, told].map(isCounted)).toEqual([true, false, true]);
  expect(runSummary([outcome("a", 400), silent], facts)).toBe("1 passed");
  expect(runSummary([outcome("a", 400), told], facts)).toBe("1 passed · 1 with a warning");
});

test("the time that a comparison with the earlier files took is said, for it is in no gate's own", () => {
  const compared = { kind: "compared", with: "main (1a2b3c4)", old: [], gone: [] } as const;
  const facts = { usual: new Map<string, number>(), labelOf, tookMs: 30_200 };
  const gates = (tookMs: number) => [
    outcome("a", 15_600, { baseline: { ...compared, tookMs } }),
    outcome("b", 400, { baseline: { kind: "not-compared", why: "it crashed", tookMs: 90 } }),
  ];

  expect(runSummary(gates(14_500), facts)).toBe(
    "2 passed · 30.2 s (14.5 s of it to compare with main (1a2b3c4))",
  );
  expect(runSummary(gates(90), facts)).toBe("2 passed · 30.2 s");
});

/** As much of one as its line needs. */
function record(...outcomes: NonNullable<VerdictRecord["outcomes"]>): VerdictRecord {
  return { at: 0, status: "passed", door: "stop-hook", ms: 5, outcomes } as never;
}

test("a line of the ledger counts the gates, and the guards that found something", () => {
  const guard = { id: "guard:.:weakened-tests", kind: "passed", ms: 1 } as const;
  const check = { id: "check:.:a", kind: "passed", ms: 4 } as const;

  expect(verdictLine(record(check, guard))).toContain("1 gate, ");
  expect(verdictLine(record(check, { ...guard, warns: true }))).toContain("2 gates, ");
});

test("a line of the ledger has a column for the decision, which only a stop has", () => {
  const run = verdictLine(record());
  const stop = verdictLine({ ...record(), decision: "allow" });

  expect(run).toMatch(/^\S+ {8}passed {2,}stop-hook/);
  expect(stop).toMatch(/^\S+ {2}allow passed {2,}stop-hook/);
  expect(run.indexOf("passed")).toBe(stop.indexOf("passed"));
});

test("a run of which only the ledger knows keeps its warnings, the names of its gates and its counts", () => {
  const outcomes = [
    { id: "check:.:lint", kind: "passed", ms: 4 },
    { id: "check:.:types", kind: "passed", ms: 4, warns: true, rests: "baseline" },
    { id: "guard:.:weakened-tests", kind: "passed", ms: 1, warns: true },
    { id: "guard:.:suppressions", kind: "passed", ms: 1 },
    { id: "guard:.:fewer-tests", kind: "failed", ms: 1, blocks: true },
  ] as const;

  const past = outcomes.map((one) => outcomeInLedger(one, undefined));
  const names = gateLabels(past);

  expect(past.map((one) => finishedLine(one, names))).toEqual([
    "[PASS] lint (4 ms)",
    "[WARN] types (4 ms) passed with a warning: its log is no longer there",
    "[WARN] weakened-tests (1 ms) found something; the details are no longer kept",
    "[PASS] suppressions (1 ms)",
    "[FAIL] fewer-tests (1 ms) failed: the details are no longer kept",
  ]);
  expect(runSummary(past, { usual: new Map(), labelOf: names })).toBe(
    "1 failed · 1 passed · 1 with a warning · 1 with old problems only",
  );
});

test("the summary counts every gate once, says what reuse saved, and names the slowest", () => {
  const outcomes = [
    outcome("a", 400),
    outcome("b", 11_900),
    outcome("c", 100, { kind: "failed", detail: "exit code 1" }),
    outcome("d", 0, { reused: "same inputs" }),
    outcome("e", 0, { reused: "same inputs" }),
    outcome("f", 50, { rests: "rerun" }),
    outcome("g", 50, { rests: "baseline" }),
    outcome("h", 0, { kind: "skipped", detail: "c failed" }),
  ];
  const usual = new Map([
    ["check:.:d", 40_000],
    ["check:.:e", 1000],
  ]);

  expect(runSummary(outcomes, { usual, tookMs: 12_400, labelOf })).toBe(
    "1 failed · 2 passed · 1 flaky · 1 with old problems only · 2 reused (saved 41.0 s) · 1 skipped · 12.4 s · slowest: b 11.9 s",
  );
  expect(runSummary([], { usual, labelOf })).toBeUndefined();
});

function run(ms: number, more: object = {}): VerdictRecord {
  const outcomes = [{ id: "check:.:a", kind: "passed", ms, ...more }];
  return { outcomes } as unknown as VerdictRecord; // only outcomes count here
}

test("the usual time of a gate is the median of its last passes that ran", () => {
  const times = usualTimes([
    run(0, { rests: "reuse" }),
    run(10),
    run(9000),
    run(20),
    run(5, { kind: "failed" }),
  ]);

  expect(times).toEqual(new Map([["check:.:a", 20]]));
});

test("a live line shows the time against the usual time, and the last line the gate printed", () => {
  const running = [
    { label: "test", elapsedMs: 12_000, expectedMs: 24_000, doing: "PASS src/a.test.ts" },
    { label: "lint", elapsedMs: 1000, doing: "" },
  ];
  const queued = [{ label: "e2e", why: "needs test" }];

  expect(liveLines(running, queued, { columns: 80, rows: 24, frame: 0 })).toEqual([
    "⠋ test 12 s of ~24 s ████░░░░  PASS src/a.test.ts",
    "⠋ lint 1 s",
    "· 1 queued: e2e (needs test)",
  ]);
});

test("a gate that usually takes no second has no bar", () => {
  const running = [{ label: "lint", elapsedMs: 0, expectedMs: 300, doing: "" }];

  expect(liveLines(running, [], { columns: 80, rows: 24, frame: 0 })).toEqual(["⠋ lint 0 s"]);
});

test("no line is wider than the screen, in columns, and no more lines are drawn than it can take back", () => {
  const running = Array.from({ length: 9 }, (_, index) => ({
    label: `門番${index}`,
    elapsedMs: 0,
    doing: "漢字と絵文字🎉".repeat(9),
  }));

  const lines = liveLines(running, [{ label: "x", why: "y" }], { columns: 30, rows: 6, frame: 3 });

  expect(lines).toHaveLength(4);
  expect(rowsOf(lines, 30)).toBe(4);
  expect(lines[2]).toBe("… and 7 more");
});

test("on a terminal that was made narrower, drawn lines take more rows", () => {
  expect(rowsOf(["x".repeat(79), "y"], 40)).toBe(3);
});
