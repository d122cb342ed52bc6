import { describe, expect, test } from "vitest";
import type { KnownProblem } from "../../../src/core/baseline/baseline.ts";
import { chainOf, mayHideFailures } from "../../../src/core/baseline/chain.ts";

const SCRIPTS: Readonly<Record<string, string>> = {
  "./test": "pnpm lint && vitest run",
  "./lint": "eslint .",
  "./pretest": "tsc",
  "web/test": "playwright test",
};

function chain(line: string): readonly string[] {
  return chainOf(line, ({ directory, name }) => SCRIPTS[`${directory}/${name}`]);
}

describe("chainOf", () => {
  test.each([
    ["vitest run", ["vitest run"]],
    ["cd web && CI=1 vitest run", ["CI=1 vitest run"]],
    ["rm -rf dist && mkdir dist && tsc", ["tsc"]],
    ["eslint . && vitest run", ["eslint .", "vitest run"]],
    ["echo 'a && b' | wc", []],
    ["sh -c 'a && b'", ["sh -c 'a && b'"]],
    ["npm test", ["tsc", "eslint .", "vitest run"]],
    ["cd web && npm test", ["playwright test"]],
    ["npm run nothing", ["npm run nothing"]],
  ])("%s", (line, commands) => {
    expect(chain(line)).toEqual(commands);
  });

  test("a script that names itself ends", () => {
    expect(chainOf("npm test", () => "npm test").length).toBeGreaterThan(0);
  });
});

describe("mayHideFailures", () => {
  const complaint = { severity: "error", message: "no" } as const;
  const failure = { ...complaint, test: "adds" };

  test.for<[string, string[], KnownProblem[], boolean]>([
    ["a single command", ["vitest run"], [complaint], false],
    ["tests behind a linter that complains", ["eslint .", "vitest run"], [complaint], true],
    ["tests behind a linter, and they failed", ["eslint .", "vitest run"], [failure], false],
    ["a linter behind tests that failed", ["vitest run", "eslint ."], [failure], true],
    ["the second of two linters", ["tsc", "eslint ."], [complaint], true],
    ["tests behind other tests", ["node --test", "playwright test"], [failure], true],
  ])("%s", ([, commands, problems, isHidden]) => {
    expect(mayHideFailures(commands, problems)).toBe(isHidden);
  });
});
