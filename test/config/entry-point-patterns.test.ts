import { expect, test } from "vitest";
import { fileMatcher } from "../../src/config/entry-point.ts";

test.for([
  [["*.ts", "!*.d.ts"], ["a.ts"]],
  [["!*.d.ts", "*.ts"], ["a.ts"]],
  [["!*.ts"], ["b.md"]],
  [["!(a).*"], ["b.md", "deep/c.d.ts"]],
] as const)("%j means %j", ([patterns, meant]) => {
  expect(["a.ts", "b.md", "deep/c.d.ts"].filter(fileMatcher(patterns))).toEqual(meant);
});
