import { expect, test } from "vitest";
import { type GateOutcome, nameOutcome } from "../../src/gates/outcome.ts";
import { projectPath } from "../../src/path.ts";

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
