import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planHooks, statusOfHooks, countRetries, judgeHooks } from "../../src/brepl/judge-hooks.ts";
import type { Hook, RetryCounts } from "../../src/config/brepl/load.ts";
import type { GateOutcome } from "../../src/gates/outcome.ts";
import { projectPath } from "../../src/path.ts";

const HERE = projectPath(".");

function hook(name: string, policy: Partial<Omit<Hook, "gate">> = {}): Hook {
  const common = { parallel: false, failFast: false, warnOnly: false, runInCi: true, runLocally: true };
  return {
    gate: { kind: "check", name, command: "x", env: {}, timeoutMs: 1, ...common },
    retryOnFailure: false,
    maxRetries: 10,
    required: false,
    ...policy,
  };
}

type Kind = "passed" | "failed" | "timed-out" | "errored" | "unavailable" | "cancelled" | "skipped";

/** An outcome of this kind; the fields that only some kinds have are all there. */
function outcome(kind: Kind): GateOutcome {
  const base = {
    id: "check:1:x",
    gate: "check",
    name: "x",
    scope: HERE,
    workingDirectory: HERE,
    warnOnly: false,
  };
  return { ...base, durationMs: 1, kind, detail: "", afterMs: 1, blocks: false } as GateOutcome;
}

const effectOf = (one: Hook, kind: Kind, counts: RetryCounts = new Map()) =>
  judgeHooks([one], [outcome(kind)], counts)[0]?.effect;

describe("one hook", () => {
  const retrying = hook("x", { retryOnFailure: true, maxRetries: 2 });
  const endless = hook("x", { retryOnFailure: true, maxRetries: 0 });
  const required = hook("x", { required: true, retryOnFailure: true });

  test.each([
    ["a pass", { one: hook("x"), kind: "passed", count: 0 }, { kind: "passed" }],
    ["a failure without retry", { one: hook("x"), kind: "failed", count: 0 }, { kind: "reported" }],
    ["a timeout without retry", { one: hook("x"), kind: "timed-out", count: 0 }, { kind: "reported" }],
    [
      "a first failure",
      { one: retrying, kind: "failed", count: 0 },
      { kind: "retry", attempt: 1, maxRetries: 2 },
    ],
    [
      "a timeout",
      { one: retrying, kind: "timed-out", count: 1 },
      { kind: "retry", attempt: 2, maxRetries: 2 },
    ],
    [
      "a failure after the last retry",
      { one: retrying, kind: "failed", count: 2 },
      { kind: "gave-up", retries: 2 },
    ],
    [
      "a failure after a limit that was lowered",
      { one: retrying, kind: "failed", count: 7 },
      { kind: "gave-up", retries: 2 },
    ],
    [
      "the hundredth failure without limit",
      { one: endless, kind: "failed", count: 99 },
      { kind: "retry", attempt: 100, maxRetries: 0 },
    ],
    [
      "an optional hook without server",
      { one: retrying, kind: "unavailable", count: 0 },
      { kind: "skipped" },
    ],
    ["a required hook without server", { one: required, kind: "unavailable", count: 0 }, { kind: "not-run" }],
    ["an optional hook that cannot start", { one: retrying, kind: "errored", count: 0 }, { kind: "skipped" }],
    ["a required hook that cannot start", { one: required, kind: "errored", count: 0 }, { kind: "not-run" }],
    ["a hook that was cut short", { one: retrying, kind: "cancelled", count: 0 }, { kind: "not-run" }],
    [
      "a hook behind one that sent the agent back",
      { one: required, kind: "skipped", count: 0 },
      { kind: "skipped" },
    ],
  ] as const)("%s", (_, { one, kind, count }, effect) => {
    expect(effectOf(one, kind, new Map([["x", count]]))).toEqual(effect);
  });
});

describe("several hooks", () => {
  test("only one with retries left keeps the later ones from starting", () => {
    const hooks = [
      hook("spent", { retryOnFailure: true, maxRetries: 1 }),
      hook("fresh", { retryOnFailure: true }),
      hook("plain"),
    ];

    const { gates } = planHooks(hooks, new Map([["spent", 1]]));

    expect(gates.map(({ id, gate }) => [id, gate.failFast])).toEqual([
      ["check:1:spent", false],
      ["check:2:fresh", true],
      ["check:3:plain", false],
    ]);
  });

  test("forget the count of a hook that is no longer there", () => {
    const results = judgeHooks([hook("kept")], [outcome("unavailable")], new Map());

    expect(
      countRetries(
        new Map([
          ["gone", 3],
          ["kept", 1],
        ]),
        results,
      ),
    ).toEqual(new Map([["kept", 1]]));
  });

  const kinds = fc.constantFrom<Kind>("passed", "failed", "timed-out", "errored", "unavailable");
  const limits = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 });

  test("with limits let the agent stop sooner or later, whatever happens", () => {
    fc.assert(
      fc.property(limits, fc.infiniteStream(kinds), (maxima, stream) => {
        const hooks = maxima.map((maxRetries, index) =>
          hook(`h${index}`, { retryOnFailure: true, maxRetries }),
        );
        const most = maxima.reduce((product, maximum) => product * (maximum + 1), 1);

        expect(blocksInARow(hooks, stream)).toBeLessThan(most);
      }),
    );
  });
});

/** How often the agent is sent back before it may stop. */
function blocksInARow(hooks: readonly Hook[], kinds: Iterator<Kind>): number {
  let counts: RetryCounts = new Map();
  for (let blocks = 0; ; blocks++) {
    const outcomes = runInTurn(hooks, counts, kinds);
    const results = judgeHooks(hooks, outcomes, counts);
    if (statusOfHooks(results) !== "failed") return blocks;
    counts = countRetries(counts, results);
  }
}

function runInTurn(
  hooks: readonly Hook[],
  counts: RetryCounts,
  kinds: Iterator<Kind>,
): readonly GateOutcome[] {
  let isStopped = false;
  return planHooks(hooks, counts).gates.map(({ gate }) => {
    const kind: Kind = isStopped ? "skipped" : kinds.next().value;
    isStopped ||= gate.failFast && (kind === "failed" || kind === "timed-out");
    return outcome(kind);
  });
}
