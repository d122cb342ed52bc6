import { expect, test } from "vitest";
import { didYouMean } from "../src/words.ts";

const KNOWN = ["base_branch", "checks", "reviews", "max_retries", "max_parallel", "cli"];

test.for<[typed: string, meant: string | undefined]>([
  ["chekcs", "checks"],
  ["check", "checks"],
  ["baseBranch", "base_branch"],
  ["BASE-BRANCH", "base_branch"],
  ["max_retires", "max_retries"],
  ["clii", "cli"],
  ["banana", undefined],
  ["", undefined],
  ["x".repeat(10_000), undefined],
])("%s is taken for %s", ([typed, meant]) => {
  expect(didYouMean(typed, KNOWN)).toBe(meant === undefined ? undefined : `did you mean \`${meant}\`?`);
});
