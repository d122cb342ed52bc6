import { describe, expect, test } from "vitest";
import type { ChangedFile, ChangeSet } from "../../src/system/git/change-set.ts";
import type { CheckGate, ReviewGate } from "../../src/gates/gate.ts";
import { absolutePath, projectPath } from "../../src/path.ts";
import { type Plan, type PlanContext, planGates } from "../../src/run/plan.ts";
import type { EntryPoint, Settings } from "../../src/config/settings.ts";

describe("planGates", () => {
  test("plans every gate of an entry point that changed, and says why", () => {
    const plan = planFor([entryPoint(".", [check("lint"), check("test")])], ["src/a.ts"]);

    expect(words(plan)).toEqual([
      "run check:.:lint in .: src/a.ts changed",
      "run check:.:test in .: src/a.ts changed",
    ]);
  });

  test("counts the files when there are several", () => {
    const plan = planFor([entryPoint(".", [check("lint")])], ["a", "b", "c"]);

    expect(words(plan)).toEqual(["run check:.:lint in .: 3 files changed, among them a"]);
  });

  test("skips what nothing changed in, and says so", () => {
    const plan = planFor([entryPoint("app", [check("lint")]), entryPoint("lib", [check("test")])], ["lib/a"]);

    expect(words(plan)).toEqual([
      "run check:lib:test in lib: lib/a changed",
      "skip check:app:lint: nothing changed in app",
    ]);
  });

  test("without changes every gate is skipped, with its reason", () => {
    const plan = planFor([entryPoint(".", [check("a")]), entryPoint("x/*", [check("b")])], []);

    expect(words(plan)).toEqual([
      "skip check:.:a: nothing changed",
      "skip check:x/*:b: nothing changed in x/*",
    ]);
  });

  test("plans one gate for each changed child of dir/*", () => {
    const plan = planFor([entryPoint("packages/*", [check("test")])], ["packages/a/1", "packages/b/1"]);

    expect(words(plan)).toEqual([
      "run check:packages/a:test in packages/a: packages/a/1 changed",
      "run check:packages/b:test in packages/b: packages/b/1 changed",
    ]);
  });

  test("a file right in dir is no child and plans nothing", () => {
    const plan = planFor([entryPoint("packages/*", [check("test")])], ["packages/README.md"]);

    expect(words(plan)).toEqual(["skip check:packages/*:test: nothing changed in packages/*"]);
  });

  test("gives each gate the changed files of its scope only", () => {
    const plan = planFor([entryPoint("packages/*", [check("test")])], ["packages/a/1", "packages/b/1", "c"]);

    expect(plan.gates.map(({ files }) => files.map(({ path }) => path))).toEqual([
      ["packages/a/1"],
      ["packages/b/1"],
    ]);
  });

  test.for([
    ["app", "app/a.ts", "app"],
    ["app/", "app/a.ts", "app"],
    ["**/*.ts", "deep/a.ts", "."],
    ["src/main.ts", "src/main.ts", "src"],
    ["Makefile", "Makefile", "."],
    ["app/[slug]", "app/[slug]/page.ts", "app/[slug]"],
  ] as const)("a gate of %s runs, when %s changed, in %s", ([path, file, directory]) => {
    const plan = planFor([entryPoint(path, [check("lint")])], [file], {
      kindOf: (scope) => (scope === file ? "file" : scope.includes("*") ? "missing" : "directory"),
    });

    expect(plan.gates.map(({ workingDirectory }) => workingDirectory)).toEqual([directory]);
  });

  test("a configured working directory wins over the entry point's", () => {
    const gate = { ...check("lint"), workingDirectory: projectPath("tools") };

    const plan = planFor([entryPoint("packages/*", [gate])], ["packages/a/x"]);

    expect(words(plan)).toEqual(["run check:packages/a:lint in tools: packages/a/x changed"]);
  });

  test("skips a child whose directory is gone, and says so", () => {
    const plan = planFor([entryPoint("packages/*", [check("test")])], ["packages/a/x"], {
      kindOf: () => "missing",
    });

    expect(words(plan)).toEqual(["skip check:packages/a:test: packages/a no longer exists"]);
  });

  test("the same gate at two overlapping entry points is planned once", () => {
    const points = [entryPoint("packages/*", [check("test")]), entryPoint("packages/a", [check("test")])];

    expect(words(planFor(points, ["packages/a/x"]))).toEqual([
      "run check:packages/a:test in packages/a: packages/a/x changed",
    ]);
  });

  test("of two entry points with the same path, the one that runs the gate wins", () => {
    const points = [entryPoint("app", [check("lint")], ["app/docs"]), entryPoint("app", [check("lint")])];

    expect(words(planFor(points, ["app/docs/x"]))).toEqual(["run check:app:lint in app: app/docs/x changed"]);
  });

  test("writes names that would break the line as escapes", () => {
    const plan = planFor([entryPoint(".", [check("lint")])], ["a\nb\u001B[31m\u202Ec"]);

    expect(plan.gates[0]?.reason).toBe("a\\nb\\u{1b}[31m\\u{202e}c changed");
  });
});

describe("where a gate may run", () => {
  const gates = [
    check("both"),
    { ...check("only-ci"), runLocally: false },
    { ...check("only-local"), runInCi: false },
  ];

  test.for([
    [true, "run check:.:both", "run check:.:only-ci", "skip check:.:only-local: run_in_ci is false"],
    [false, "run check:.:both", "run check:.:only-local", "skip check:.:only-ci: run_locally is false"],
  ] as const)("in CI: %s", ([ci, ...expected]) => {
    const plan = planFor([entryPoint(".", gates)], ["a"], { ci });

    expect(words(plan).map((line) => line.replace(" in .: a changed", ""))).toEqual(expected);
  });
});

describe("what was asked for", () => {
  const points = [entryPoint("app", [check("lint"), review("quality")]), entryPoint("lib", [check("lint")])];

  test.for([
    [["lint"], ["check:app:lint", "check:lib:lint"]],
    [["check:lib:lint"], ["check:lib:lint"]],
    [["quality"], ["review:app:quality"]],
    [
      ["lint", "quality"],
      ["check:app:lint", "review:app:quality", "check:lib:lint"],
    ],
    [["check:nowhere:lint"], []],
  ] as const)("--gate %j plans %j", ([only, ids]) => {
    const plan = planFor(points, ["app/x", "lib/x"], { only });

    expect(plan.gates.map(({ id }) => id)).toEqual(ids);
    expect(new Set(plan.skipped.map(({ reason }) => reason))).toEqual(
      new Set(only.length === 2 ? [] : ["not asked for"]),
    );
  });

  test("a kind that was not asked for is skipped, and the reason names the kind that was", () => {
    const plan = planFor(points, ["app/x"], { kinds: ["check"] });

    expect(words(plan)).toContain("skip review:app:quality: only check gates were asked for");
  });
});

describe("open failures", () => {
  test("a gate that failed stays planned though nothing changed", () => {
    const plan = planFor([entryPoint(".", [check("lint"), check("test")])], [], {
      openFailures: [{ gate: { kind: "check", scope: projectPath("."), name: "lint" }, runNumber: 1 }],
    });

    expect(words(plan)).toEqual([
      "run check:.:lint in .: failed before and has not passed since",
      "skip check:.:test: nothing changed",
    ]);
  });

  test("a child that failed stays planned beside the ones that changed", () => {
    const plan = planFor([entryPoint("packages/*", [check("test")])], ["packages/b/x"], {
      openFailures: [
        { gate: { kind: "check", scope: projectPath("packages/a"), name: "test" }, runNumber: 1 },
      ],
    });

    expect(words(plan)).toEqual([
      "run check:packages/b:test in packages/b: packages/b/x changed",
      "run check:packages/a:test in packages/a: failed before and has not passed since",
    ]);
  });

  test.for(["test:unit", "a:b:c"])("a gate named %s keeps its failure, child by child", (name) => {
    const id = `check:packages/a:${name}`;

    const plan = planFor([entryPoint("packages/*", [check(name)])], [], {
      openFailures: [{ gate: { kind: "check", scope: projectPath("packages/a"), name }, runNumber: 1 }],
    });

    expect(words(plan)).toEqual([`run ${id} in packages/a: failed before and has not passed since`]);
  });

  test("a failed gate that also changed is planned for its change", () => {
    const plan = planFor([entryPoint(".", [check("lint")])], ["a"], {
      openFailures: [{ gate: { kind: "check", scope: projectPath("."), name: "lint" }, runNumber: 1 }],
    });

    expect(words(plan)).toEqual(["run check:.:lint in .: a changed"]);
  });

  test("a failed child that has vanished is skipped, and says so", () => {
    const plan = planFor([entryPoint("packages/*", [check("test")])], [], {
      openFailures: [
        { gate: { kind: "check", scope: projectPath("packages/a"), name: "test" }, runNumber: 1 },
      ],
      kindOf: () => "missing",
    });

    expect(words(plan)).toEqual(["skip check:packages/a:test: packages/a no longer exists"]);
  });

  test("a failed gate that was taken out of the configuration is named among the skipped", () => {
    const plan = planFor([entryPoint(".", [check("lint")])], ["a"], {
      openFailures: [{ gate: { kind: "check", scope: projectPath("."), name: "gone" }, runNumber: 1 }],
    });

    expect(words(plan)).toContain("skip check:.:gone: failed before, but is no longer configured");
  });

  test("a failed gate that is switched off here is skipped for that reason", () => {
    const gate = { ...check("lint"), runLocally: false };

    const plan = planFor([entryPoint(".", [gate])], [], {
      openFailures: [{ gate: { kind: "check", scope: projectPath("."), name: "lint" }, runNumber: 1 }],
    });

    expect(words(plan)).toEqual(["skip check:.:lint: run_locally is false"]);
  });
});

test("a hundred thousand changed files are planned without compiling a pattern for each", () => {
  const files = Array.from({ length: 100_000 }, (_, index) => `packages/p${index % 50}/src/file-${index}.ts`);
  const points = [
    entryPoint("packages/*", [check("test")], ["**/*.md", "**/generated/**"]),
    entryPoint("packages/**/*.ts", [check("lint")], ["**/*.snap"]),
  ];

  const plan = planFor(points, files);

  expect(plan.gates).toHaveLength(51);
  expect(plan.gates.map(({ files: own }) => own.length)).toEqual([...Array<number>(50).fill(2000), 100_000]);
});

function planFor(
  entryPoints: readonly EntryPoint[],
  paths: readonly string[],
  context: Partial<PlanContext> = {},
): Plan {
  const files = paths.map((path): ChangedFile => ({ path: projectPath(path), change: "modified" }));
  const changes: ChangeSet = { comparedTo: "main", files, notes: [] };
  return planGates(settingsWith(entryPoints), changes, {
    ci: false,
    kinds: ["check", "review"],
    only: [],
    openFailures: [],
    kindOf: () => "directory",
    ...context,
  });
}

/** The whole plan, one line a gate. */
function words({ gates, skipped }: Plan): readonly string[] {
  return [
    ...gates.map(({ id, workingDirectory, reason }) => `run ${id} in ${workingDirectory}: ${reason}`),
    ...skipped.map(({ id, reason }) => `skip ${id}: ${reason}`),
  ];
}

function entryPoint(
  path: string,
  gates: readonly (CheckGate | ReviewGate)[],
  exclude: readonly string[] = [],
): EntryPoint {
  return { path, gates, exclude };
}

const GATE = {
  parallel: true,
  failFast: false,
  timeoutMs: 1000,
  warnOnly: false,
  runInCi: true,
  runLocally: true,
};

function check(name: string): CheckGate {
  return { ...GATE, kind: "check", name, command: "true", env: {} };
}

function review(name: string): ReviewGate {
  return {
    ...GATE,
    kind: "review",
    name,
    prompt: "",
    cliPreference: ["claude"],
    numReviews: 1,
    maxRounds: 1,
    minPriority: "high",
    onUnavailable: "warn",
  };
}

function settingsWith(entryPoints: readonly EntryPoint[]): Settings {
  return {
    root: absolutePath("/project"),
    baseBranch: "origin/main",
    logDir: projectPath("gauntlet_logs"),
    maxParallel: 1,
    maxRetries: 3,
    retry: { whenStuck: "continue", extendOnProgress: false },
    entryPoints,
    rerunNewIssueThreshold: "high",
    stopHook: {
      enabled: true,
      runIntervalMinutes: 0,
      whenActive: "allow",
      whenBusy: "allow",
      whenGatesChange: "tell",
      timeoutMs: 300_000,
      maxReasonChars: 9000,
      defer: true,
      on: ["stop"],
      agentTypes: [],
      background: false,
    },
    debugLog: { enabled: false, maxBytes: 1 },
    scripts: {},
    gateHash: "",
    definitionHash: "",
  };
}
