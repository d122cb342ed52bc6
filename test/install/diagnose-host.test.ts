import { expect, test } from "vitest";
import { claudeCode } from "../../src/hosts/claude-code.ts";
import { diagnoseHost, type ProbedRegistration, whyItFailed } from "../../src/install/diagnose-host.ts";

const DEAD_PATH = `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/app/node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2
`;

test.for<[stderr: string, why: string | undefined]>([
  [DEAD_PATH, "Error: Cannot find module '/app/node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs'"],
  ["sh: 1: agent-gauntlet: not found\n", "sh: 1: agent-gauntlet: not found"],
  ["[trace] 12 ms Node started\n", undefined],
  ["\n", undefined],
])("%j says why a command failed: %s", ([stderr, why]) => {
  expect(whyItFailed(stderr)).toBe(why);
});

function registration(where: string): ProbedRegistration {
  return {
    where,
    command: "agent-gauntlet stop-hook",
    timeoutMs: 300_000,
    isOptional: false,
    isSkipped: false,
    isOutdated: false,
    isBorrowed: false,
    program: { kind: "Node", costMs: 90 },
  };
}

function startsIn(registrations: readonly ProbedRegistration[]): readonly string[] {
  const findings = diagnoseHost({ host: claudeCode, registrations, neededMs: 300_000 });
  return findings.filter(({ check }) => check === "program").map(({ text }) => text);
}

test("what a hook starts is told apart by file where there are two", () => {
  const [mine, ours] = [registration(".claude/settings.local.json"), registration(".claude/settings.json")];

  expect(startsIn([mine])).toEqual(["starts Node: a stop with nothing to do takes 90 ms"]);
  expect(startsIn([mine, ours])).toEqual([
    "starts Node (.claude/settings.local.json): a stop with nothing to do takes 90 ms",
    "starts Node (.claude/settings.json): a stop with nothing to do takes 90 ms",
  ]);
});
