import { describe, expect, test } from "vitest";
import { unreadFailures } from "../../../src/feedback/informative-windows.ts";
import { readLog } from "../../../src/feedback/log.ts";
import { Lines } from "../../../src/feedback/text/lines.ts";

describe("lines", () => {
  const lines = new Lines("first\n  second\n\nlast");

  test("are what a split would give", () => {
    expect(lines.slice(0)).toEqual(["first", "  second", "", "last"]);
    expect(lines.slice(1, 3)).toEqual(["  second", ""]);
    expect(new Lines("a\n").slice(0)).toEqual(["a", ""]);
  });

  test("are empty outside the log", () => {
    expect([lines.at(-1), lines.at(4), new Lines("").at(0)]).toEqual(["", "", ""]);
  });

  test("know their indent and whether they are blank", () => {
    expect([0, 1, 2, 3].map((index) => lines.indentOf(index))).toEqual([0, 2, 0, 0]);
    expect([0, 1, 2, 3].filter((index) => lines.isBlank(index))).toEqual([2]);
  });

  test("can be rearranged and written anew", () => {
    const written = lines.replaced([1], "second").plus("more\nto come");
    expect(written.slice(0)).toEqual(["first", "second", "", "last", "more", "to come"]);
    expect(written.picked(Int32Array.of(5, 9, 0), Uint16Array.of(3, 0, 0)).slice(0)).toEqual([
      "come",
      "",
      "first",
    ]);
    expect([written.indentOf(1), written.codeAt(4, 0), written.startsWith(2, "m", 0)]).toEqual([
      0,
      109,
      false,
    ]);
  });

  test("may end as on Windows", () => {
    expect(new Lines("a\r\nb\r\n").slice(0)).toEqual(["a", "b", ""]);
  });

  test("are cut where no tool prints anything of use", () => {
    expect(new Lines(`${"x".repeat(9000)}\ny`).slice(0).map(({ length }) => length)).toEqual([4000, 1]);
  });
});

test("the lines of `go test -json` come back as they were printed, without colours", () => {
  const events = ["\u001B[31m--- FAIL", ": TestA\r\n"].map((text) =>
    JSON.stringify({ Action: "output", Package: "a", Output: text }),
  );
  const { lines } = readLog(["before", ...events, "after"].join("\n"));
  expect(lines.slice(0)).toEqual(["before", "after", "--- FAIL: TestA", ""]);
});

test("lines are found by how they begin, after blanks", () => {
  const log = readLog("  FAIL a\nFAILED\nF\nFA\n✗ b\n 1) c\n\t22\n\u0131\n== d\n=");
  expect(log.beginning("FAIL")).toEqual([0, 1]);
  expect(log.beginning("✗ ", "FAIL a")).toEqual([0, 4]);
  expect([log.beginning("F"), log.beginning("="), log.beginning("1")]).toEqual([[0, 1, 2, 3], [8, 9], [5]]);
  expect(log.numbered).toEqual([5, 6]);
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
