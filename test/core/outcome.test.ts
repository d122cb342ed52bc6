import { expect, test } from "vitest";
import { type GateOutcome, nameOutcome } from "../../src/core/outcome.ts";
import { projectPath } from "../../src/core/path.ts";
import { verdictOf } from "../../src/core/stop/verdict.ts";

function failedIn(scope: string): GateOutcome {
  return {
    id: `check:${scope}:test`,
    gate: "check",
    name: "test",
    scope: projectPath(scope),
    workingDirectory: projectPath(scope),
    warnOnly: false,
    durationMs: 1,
    kind: "failed",
    detail: "exit code 1",
  };
}

test("a gate is named with its scope, unless that is the whole project", () => {
  expect(["packages/api", "."].map((scope) => nameOutcome(failedIn(scope)))).toEqual([
    "test in packages/api failed: exit code 1",
    "test failed: exit code 1",
  ]);
});

test("what is given up is named so to the user", () => {
  const outcomes = ["packages/api", "packages/web"].map(failedIn);

  const { notice } = verdictOf({
    kind: "ran",
    status: "retry_limit_exceeded",
    message: "gave up",
    outcomes,
    notices: [],
    warnings: [],
  } as unknown as Parameters<typeof verdictOf>[0]); // the rest of a result says nothing here

  expect(notice).toContain("test in packages/api failed: exit code 1; test in packages/web failed");
});
