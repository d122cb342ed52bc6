import { describe, expect, test } from "vitest";
import { unreadFailures } from "../../../src/feedback/informative-windows.ts";
import { readLog } from "../../../src/feedback/log.ts";
import { Lines } from "../../../src/feedback/text/lines.ts";

describe("lines", () => {
  const lines = new Lines("first\n  second\n\nlast");

  test("are what a split would give", () => {
    expect(lines.slice(0)).toEqual(["first", "  second", "", "last"]);
    expect(lines.slice(1, 3)).toEqual(["  second", ""]);
    expect(lines.text(1, 4)).toBe("  second\n\nlast");
    expect(new Lines("a\n").slice(0)).toEqual(["a", ""]);
  });

  test("are empty outside the log", () => {
    expect([lines.at(-1), lines.at(4), new Lines("").at(0)]).toEqual(["", "", ""]);
  });

  test("know their indent and whether they are blank", () => {
    expect([0, 1, 2, 3].map((index) => lines.indentOf(index))).toEqual([0, 2, 0, 0]);
    expect([0, 1, 2, 3].filter((index) => lines.isBlank(index))).toEqual([2]);
  });

  test("are cut where no tool prints anything of use", () => {
    expect(new Lines(`${"x".repeat(9000)}\ny`).slice(0).map(({ length }) => length)).toEqual([4000, 1]);
  });
});

describe("a line that reports a failure is not passed over for want of a trait", () => {
  test.each([
    "fatal: not a git repository",
    "error: x",
    "panic: x",
    "FAIL: x",
    "FATAL x",
    "Failure: x",
    "not ok 3 - adds",
    "✗ adds",
    "❌ adds",
    "× adds",
    "TypeError: x",
    "IllegalStateException: x",
    "12) adds",
    "it *failed* again",
    "adds ... FAILED",
    "Segmentation fault",
    "Aborted (core dumped)",
    "Out of memory: x",
    "it ran out of memory",
    "signal: killed",
    "the test timed out",
    "Killed",
    "src/a.zz:3 is missing",
    'unexpected "x" in a.zz, line 3',
    "a.zz @ 3 was refused",
  ])("%s", (line) => {
    expect(unreadFailures(readLog(`fine\n${line}\nfine`).lines, () => false)).toEqual([line]);
  });
});
