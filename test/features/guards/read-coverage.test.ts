import { expect, test } from "vitest";
import { readCoverage } from "../../../src/features/guards/untested/read-coverage.ts";
import { isCovered, untestedLines } from "../../../src/features/guards/untested/untested-lines.ts";

const REPORTS: Readonly<Record<string, string>> = {
  lcov: "TN:\nSF:src/x.ts\nDA:1,2\nDA:2,0\nDA:3,0\nend_of_record\n",
  Go: "mode: atomic\nexample.org/m/src/x.ts:1.1,1.9 1 2\nexample.org/m/src/x.ts:2.1,3.9 1 0\n",
  Cobertura:
    '<?xml version="1.0"?><coverage><packages><classes><class name="x" filename="src/x.ts"><lines><line number="1" hits="2"/><line number="2" hits="0"/><line number="3" hits="0"/></lines></class></classes></packages></coverage>',
  JaCoCo:
    '<?xml version="1.0"?><!DOCTYPE report><report name="a"><package name="src"><sourcefile name="x.ts"><line nr="1" mi="0" ci="2"/><line nr="2" mi="3" ci="0"/><line nr="3" mi="1" ci="0"/></sourcefile></package></report>',
  Istanbul: JSON.stringify({
    "/app/src/x.ts": {
      path: "/app/src/x.ts",
      statementMap: { 0: { start: { line: 1 } }, 1: { start: { line: 2 } }, 2: { start: { line: 3 } } },
      s: { 0: 2, 1: 0, 2: 0 },
    },
  }),
  "coverage.py": JSON.stringify({
    meta: {},
    files: { "src/x.ts": { executed_lines: [1], missing_lines: [2, 3] } },
  }),
};

const changed = ["ran();", "if (a) {", "  b();", "}"].map((text, at) => ({ text, line: at + 1 }));

test.each(Object.keys(REPORTS))("%s: lines that can run and did not", (name) => {
  const coverage = readCoverage(REPORTS[name] ?? "");

  expect(untestedLines("src/x.ts", changed, coverage ?? new Map())).toEqual([{ first: 2, last: 3 }]);
});

test("of a file that no report names, lines that can run", () => {
  const coverage = readCoverage(REPORTS["lcov"] ?? "") ?? new Map();
  const lines = ['import a from "a";', "// why", "", "export interface B {", "}", "call();"];
  const all = lines.map((text, at) => ({ text, line: at + 1 }));

  expect(untestedLines("src/new.ts", all, coverage)).toEqual([{ first: 6, last: 6 }]);
  expect(["src/new.ts", "src/new.py"].map((path) => isCovered(path, coverage))).toEqual([true, false]);
});

test.each(["", "hello", "{}", "[1]", "<html></html>", "mode: set\n"])("%j is no report", (text) => {
  expect(readCoverage(text)).toBeUndefined();
});
