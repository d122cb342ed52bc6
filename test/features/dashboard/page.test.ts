import { describe, expect, test } from "vitest";
import { chainsOf, daysOf, endOf, gateStats, meaningOf } from "../../../src/features/dashboard/aggregate.ts";
import { runningGates } from "../../../src/run/running-run.ts";
import {
  compareTold,
  frameAround,
  toldIn,
  type RunPage,
  type StopRow,
} from "../../../src/features/dashboard/page-data.ts";
import { htmlPage } from "../../../src/features/dashboard/html-page.ts";

const SHELL = {
  html: '<title>__PAGE_TITLE__</title><meta content="__PAGE_POLICY__"><script>__PAGE_DATA__</script>',
  style: "'sha256-style'",
  script: "'sha256-script'",
};

const PAGE: RunPage = {
  kind: "run",
  version: "1.0.0",
  project: "shop",
  run: 3,
  status: "failed",
  completedAt: 0,
  gates: [],
  files: [],
  attempts: [],
};

describe("the page of a run", () => {
  test("keeps its data inside of its script element, whatever a gate has printed", () => {
    const message = "</script><script>alert(1)</script><!-- \u2028 & $& __PAGE_DATA__";
    const files = [{ problems: [{ gate: "lint", severity: "error" as const, message }] }];

    const html = htmlPage(SHELL, { ...PAGE, files });

    const [, data = ""] = /<script>(.*)<\/script>/s.exec(html) ?? [];
    expect(data).not.toMatch(/[<>&]/);
    expect(JSON.parse(data)).toMatchObject({ files: [{ problems: [{ message }] }] });
  });

  test("has a title that is text", () => {
    expect(htmlPage(SHELL, { ...PAGE, project: "</title><b>" })).toContain(
      "<title>&#60;/title&#62;&#60;b&#62;, run 3: failed</title>",
    );
  });

  test("may run its own script, and only the dashboard may ask its server", () => {
    expect(htmlPage(SHELL, PAGE)).toContain(
      "default-src 'none'; script-src 'sha256-script'; style-src 'sha256-style'; connect-src 'none'",
    );
    expect(htmlPage(SHELL, { kind: "dashboard", version: "1.0.0" })).toContain("connect-src 'self'");
  });
});

describe("code frames", () => {
  const lines = ["one", "two", "three", "four", "five", "six"];

  test("show three lines around the problem", () => {
    expect(frameAround(lines, 5)).toEqual({ first: 2, lines: ["two", "three", "four", "five", "six"] });
    expect(frameAround(lines, 1)).toEqual({ first: 1, lines: ["one", "two", "three", "four"] });
  });

  test.for([0, -1, 7, Number.NaN])("there is none for line %s of six", (line) => {
    expect(frameAround(lines, line)).toBeUndefined();
  });
});

describe("what the agent read", () => {
  test("is what the log of the run has between its gates and its status", () => {
    const log =
      "Run 1: 1 gate\n[FAIL] check:.:test\n\nGauntlet gates did not pass.\n\nFix it.\n\nStatus: Failed\n";

    expect(toldIn(log)).toBe("Gauntlet gates did not pass.\n\nFix it.");
    expect(toldIn("Run 1: 1 gate\n[PASS] check:.:test\nStatus: Passed\n")).toBeUndefined();
  });

  test("is compared line by line with the time before", () => {
    const changes = compareTold("a\nb\nc", "a\nc\nd").map(({ text, change }) => `${change} ${text}`);

    expect(changes).toEqual(["same a", "gone b", "same c", "new d"]);
  });

  test("every line of both texts is in the comparison", () => {
    const compared = compareTold("x\ny\nx", "y\ny\nz");

    const without = (change: string) =>
      compared.filter((line) => line.change !== change).map(({ text }) => text);
    expect(without("new")).toEqual(["x", "y", "x"]);
    expect(without("gone")).toEqual(["y", "y", "z"]);
  });
});

const HOUR = 3_600_000;

function row(at: number, more: Partial<StopRow> = {}): StopRow {
  return {
    at,
    ms: 10,
    door: "stop-hook",
    project: "p",
    session: "s",
    status: "passed",
    decision: "allow",
    ...more,
  };
}

const BLOCKED = { status: "failed", decision: "block" } as const;

const TODAY = { offsetMs: 0, now: 5 };

describe("the dashboard's counts", () => {
  test("a pass after a block is a fix, and only the first one", () => {
    const rows = [row(4), row(3), row(2, BLOCKED), row(1)];

    expect(daysOf(rows, TODAY)).toEqual([{ day: 0, blocked: 1, fixed: 1, gaveUp: 0, notChecked: 0 }]);
  });

  test("a stop that was let through unchecked fixes nothing", () => {
    const rows = [row(2, { status: "stop_hook_active" }), row(1, BLOCKED)];

    expect(daysOf(rows, TODAY)).toEqual([{ day: 0, blocked: 1, fixed: 0, gaveUp: 0, notChecked: 1 }]);
  });

  test("days are local, and one without stops is there with zeros", () => {
    const rows = [row(50 * HOUR, BLOCKED), row(1 * HOUR, BLOCKED)];

    expect(
      daysOf(rows, { offsetMs: 2 * HOUR, now: 51 * HOUR }).map(({ day, blocked }) => [day, blocked]),
    ).toEqual([
      [-1, 1],
      [0, 0],
      [1, 0],
      [2, 1],
    ]);
  });

  test("as many days as were chosen, the last one today, whatever was recorded", () => {
    const days = daysOf([row(0, BLOCKED)], { offsetMs: 0, now: 3 * 24 * HOUR, count: 7 });

    expect(days.map(({ day }) => day)).toEqual([-3, -2, -1, 0, 1, 2, 3]);
    expect(days.map(({ blocked }) => blocked)).toEqual([0, 0, 0, 1, 0, 0, 0]);
  });

  test("a clock that was wrong once makes no chart of a century", () => {
    expect(daysOf([row(1e13), row(1)], TODAY)).toHaveLength(1);
    expect(daysOf([row(1)], { offsetMs: 0, now: 1e13 })).toHaveLength(1000);
  });

  test.for<[Partial<StopRow>, string]>([
    [BLOCKED, "blocked"],
    [{ status: "failed", decision: undefined }, "failed"],
    [{ status: "retry_limit_exceeded" }, "gave up"],
    [{ status: "passed_with_warnings" }, "passed with warnings"],
    [{ status: "deferred" }, "not checked"],
  ])("%o means %s", ([more, meaning]) => {
    expect(meaningOf(row(1, more))).toBe(meaning);
  });
});

describe("sessions", () => {
  test("are chains of stops, told apart by project, without runs from the terminal", () => {
    const { session: _none, ...terminal } = row(5);
    const chains = chainsOf([terminal, row(4, { project: "q" }), row(3), row(2, BLOCKED)]);

    expect(chains.map(({ key, rows, lastAt }) => [key, rows.map(({ at }) => at), lastAt])).toEqual([
      ["q/s", [4], 4],
      ["p/s", [2, 3], 3],
    ]);
  });

  test.for<[readonly Partial<StopRow>[], string]>([
    [[BLOCKED, BLOCKED, {}], "fixed after 2 blocks"],
    [[BLOCKED, { status: "retry_limit_exceeded" }], "gave up after 1 block"],
    [[BLOCKED, { status: "stop_hook_active" }], "still failing after 1 block"],
    [[{}], "passed"],
    [[{ status: "no_changes" }], "not checked"],
  ])("%o ended: %s", ([stops, words]) => {
    const [chain] = chainsOf(stops.map((more, at) => row(at, more)).toReversed());

    expect(chain && endOf(chain).words).toBe(words);
  });
});

test("gates are ranked by what they cost; reuse costs nothing, and blocks are failures caught", () => {
  const rows = [
    row(3, { outcomes: [{ id: "test", kind: "passed", ms: 0, rests: "reuse" }] }),
    row(2, { outcomes: [{ id: "test", kind: "passed", ms: 900, rests: "rerun" }] }),
    row(1, {
      outcomes: [
        { id: "lint", kind: "passed", ms: 10 },
        { id: "test", kind: "failed", ms: 700, blocks: true },
      ],
    }),
  ];

  expect(gateStats(rows)).toMatchObject([
    { id: "test", runs: 2, totalMs: 1600, p90Ms: 900, caught: 1, flaky: 1, reused: 1, savedMs: 900 },
    { id: "lint", runs: 1, totalMs: 10, medianMs: 10 },
  ]);
});

test("the gates that run now are those that have started and not ended", () => {
  const log = [
    "Run 4: 3 gates",
    "[START] check:.:a",
    "[START] check:.:b c",
    "[PASS] check:.:a (2 ms)",
    "[START] check:.:a 2",
    "[WARN] something (about check:.:a 2)",
  ].join("\n");

  expect(runningGates(log)).toMatchObject({ gates: ["check:.:b c", "check:.:a 2"] });
});
