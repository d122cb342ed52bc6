import * as fc from "fast-check";
import { expect, test } from "vitest";

import { fnmatch, matchesEverythingBelow } from "../../../src/sdk/workspace/host-mount.ts";

test.each([
  ["b.py", "*.py", true],
  ["src/b.py", "*.py", true],
  ["src/b.py", "src/*", true],
  ["src/deep/b.py", "src/*", true],
  ["src/b.py", "src/?.py", true],
  ["src/b.py", "src??.py", true],
  ["b.py", "B.py", false],
  ["b.pyc", "*.py", false],
  ["", "*", true],
  ["", "", true],
  ["", "?", false],
  ["a", "[abc]", true],
  ["d", "[abc]", false],
  ["m", "[a-z]", true],
  ["M", "[a-z]", false],
  ["d", "[!abc]", true],
  ["a", "[!abc]", false],
  ["]", "[]]", true],
  ["a", "[!]]", true],
  ["-", "[a-]", true],
  ["[a", "[a", true],
  ["a.b", "a.b", true],
  ["axb", "a.b", false],
  ["a*b", "a[*]b", true],
  ["axb", "a[*]b", false],
  ["mississippi", "m*iss*ip*", true],
  ["mississippi", "m*iss*x*", false],
])("%j matches %j: %s", (path, pattern, expected) => {
  expect(fnmatch(path, pattern)).toBe(expected);
});

test("a pattern full of stars takes no longer than a look", () => {
  expect(fnmatch("a".repeat(5000), `${"*a".repeat(50)}b`)).toBe(false);
});

test("what is pruned would not have been wanted", () => {
  const text = fc.stringMatching(/^[ab/*?]{0,6}$/);
  fc.assert(
    fc.property(text, text, text, (directory, below, pattern) => {
      if (matchesEverythingBelow(directory, pattern))
        expect(fnmatch(`${directory}/${below}`, pattern)).toBe(true);
    }),
  );
});
