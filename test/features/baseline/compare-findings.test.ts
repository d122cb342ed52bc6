import { describe, expect, test } from "vitest";
import { array, assert, constantFrom, property } from "fast-check";
import {
  compareFindings,
  type Findings,
  joinFindings,
  ranFewer,
} from "../../../src/features/baseline/compare-findings.ts";
import {
  atLeast,
  atMost,
  baselineText,
  type CommittedBaseline,
  countBeyond,
  entriesOf,
  findingsIn,
  readBaselineText,
} from "../../../src/features/baseline/baseline-file.ts";

/** `a@3`: a problem with the fingerprint `a` in line 3. */
function findings(problems: readonly string[], more: Partial<Findings> = {}): Findings {
  return {
    problems: problems.map((text) => {
      const [key = "", line] = text.split("@");
      return { key, problem: { severity: "error", message: key, line: Number(line ?? 1) } };
    }),
    isAllRead: true,
    unread: [],
    ended: "exit code 1",
    ...more,
  };
}

function count(list: readonly string[], key: string): number {
  return list.filter((one) => one === key).length;
}

function keyOf({ message }: { readonly message: string }): string {
  return message;
}

function listed(found: Findings, positions: readonly number[]): readonly string[] {
  return positions.map((at) => `${found.problems[at]?.key}@${found.problems[at]?.problem.line}`);
}

describe("problems are compared by how often they are there", () => {
  test("the same problems in other lines are old", () => {
    const compared = compareFindings(findings(["a@9", "b@4"]), findings(["b@2", "a@5"]));

    expect(compared).toEqual({ isOnlyOld: true, fresh: [], old: [0, 1], gone: [] });
  });

  test("a third of the same kind is new, and it is the one whose line is furthest from the two", () => {
    const now = findings(["a@10", "a@30", "a@51"]);
    const compared = compareFindings(now, findings(["a@10", "a@50"]));

    expect(compared.isOnlyOld).toBe(false);
    expect(listed(now, compared.fresh)).toEqual(["a@30"]);
  });

  test("what is fixed is gone, and excuses nothing else", () => {
    const compared = compareFindings(findings(["b"]), findings(["a"]));

    expect(compared).toMatchObject({ isOnlyOld: false, fresh: [0], gone: [0] });
  });

  test("for any two lists, the new ones are those beyond the count before", () => {
    const keys = array(constantFrom("a", "b", "c"), { maxLength: 12 });
    assert(
      property(keys, keys, (now, before) => {
        const { fresh, old, gone, isOnlyOld } = compareFindings(findings(now), findings(before));
        for (const key of ["a", "b", "c"]) {
          const news = fresh.filter((at) => now[at] === key).length;
          expect(news).toBe(Math.max(0, count(now, key) - count(before, key)));
        }
        expect(old.length + fresh.length).toBe(now.length);
        expect(old.length + gone.length).toBe(before.length);
        expect(isOnlyOld).toBe(fresh.length === 0 && now.length > 0);
      }),
    );
  });
});

describe("a check is not excused", () => {
  const SAME = findings(["a"]);

  test.each<[string, Findings, Findings]>([
    ["when it passed before", SAME, { ...SAME, ended: undefined }],
    ["when it crashes now", findings(["a"], { ended: "exit code 139 (killed by SIGSEGV)" }), SAME],
    ["when it is killed now", findings(["a"], { ended: "killed by SIGKILL" }), SAME],
    [
      "when its command cannot be run, then as now",
      findings(["a"], { ended: "exit code 127 (command not found)" }),
      findings(["a"], { ended: "exit code 127 (command not found)" }),
    ],
    [
      "when it crashes without a problem, then as now",
      findings([], { output: "1", ended: "killed by SIGSEGV" }),
      findings([], { output: "1", ended: "killed by SIGSEGV" }),
    ],
    ["when a line that no parser reads is new", findings(["a"], { unread: ["FAILED x"] }), SAME],
    [
      "when such a line is there more often",
      findings(["a"], { unread: ["FAILED x", "FAILED x"] }),
      findings(["a"], { unread: ["FAILED x"] }),
    ],
    [
      "when nothing was read and the outputs differ",
      findings([], { output: "1" }),
      findings([], { output: "2" }),
    ],
    ["when nothing was read and the output was cut", findings([]), findings([])],
    [
      "when the tool counts more than was read and the outputs differ",
      findings(["a"], { isAllRead: false, output: "1" }),
      findings(["a"], { isAllRead: false, output: "2" }),
    ],
    [
      "when it ends in another way with the same output",
      findings([], { output: "1", ended: "exit code 2" }),
      findings([], { output: "1" }),
    ],
  ])("%s", (_, now, before) => {
    expect(compareFindings(now, before).isOnlyOld).toBe(false);
  });

  test("but it is when nothing can be read and the output is the same", () => {
    const same = findings([], { output: "1" });

    expect(compareFindings(same, same).isOnlyOld).toBe(true);
  });

  test("and when a tool that exits with the number of failures has as many as a crash would say", () => {
    const many = findings(["a"], { ended: "exit code 200" });

    expect(compareFindings(many, many).isOnlyOld).toBe(true);
  });

  test("and when a tool that exits with the number of failures has fewer", () => {
    const fewer = findings(["a"], { ended: "exit code 1" });

    expect(compareFindings(fewer, findings(["a", "b"], { ended: "exit code 2" })).isOnlyOld).toBe(true);
  });
});

test.for<[string, number | undefined, number | undefined, boolean]>([
  ["fewer than before", 2, 3, true],
  ["as many as before", 3, 3, false],
  ["more than before", 4, 3, false],
  ["none any more", undefined, 3, true],
  ["none, as before", undefined, undefined, false],
])("whether tests are missing that ran before: %s", ([, now, before, isFewer]) => {
  expect(ranFewer({ ran: now }, { ran: before })).toBe(isFewer);
});

test("two baselines together excuse what either does, and not the sum", () => {
  const both = joinFindings(findings(["a", "b"]), findings(["a", "c"]));

  expect(compareFindings(findings(["a", "b", "c"]), both).isOnlyOld).toBe(true);
  expect(compareFindings(findings(["a", "a"]), both).fresh).toEqual([1]);
});

describe("the committed baseline", () => {
  const FOUND = findings(["b", "a", "a"], { unread: ["FAILED x"] });
  const ENTRIES = entriesOf("check:.:lint", FOUND);

  test("is sorted, has each problem once with its count, and no lines", () => {
    expect(baselineText({ entries: ENTRIES, ran: { "check:.:lint": 7, "check:.:gone": 1 } }))
      .toMatchInlineSnapshot(`
      "{
        "version": 1,
        "ran": {
          "check:.:lint": 7
        },
        "problems": [
          {"gate":"check:.:lint","unread":"FAILED x","count":1},
          {"gate":"check:.:lint","message":"a","count":2},
          {"gate":"check:.:lint","message":"b","count":1}
        ]
      }
      "
    `);
  });

  test("excuses what it was written from, when it is read again, and nothing more", () => {
    const text = baselineText({ entries: ENTRIES, ran: { "check:.:lint": 7 } });
    const read = readBaselineText(text) as CommittedBaseline; // what is wrong would be a text
    const before = findingsIn(read, "check:.:lint", keyOf);

    expect(before && compareFindings(FOUND, before).isOnlyOld).toBe(true);
    expect(before && compareFindings(findings(["a", "a", "a"]), before).isOnlyOld).toBe(false);
    expect(before?.ran).toBe(7);
    expect(findingsIn(read, "check:.:test", keyOf)).toBeUndefined();
  });

  test("keeps the whole output of a check that no parser reads", () => {
    const unread = findings([], { output: "hash" });
    const entries = entriesOf("check:.:custom", unread);
    const before = findingsIn({ entries, ran: {} }, "check:.:custom", keyOf);

    expect(before && compareFindings(unread, before).isOnlyOld).toBe(true);
    expect(before && compareFindings(findings([], { output: "other" }), before).isOnlyOld).toBe(false);
  });

  test("takes an entry that a merge has left twice as one", () => {
    const [entry] = ENTRIES;
    const text = JSON.stringify({ version: 1, problems: [entry, entry] });

    expect(readBaselineText(text)).toEqual({ entries: [entry], ran: {} });
  });

  test("counts what one list has beyond another", () => {
    const [, a] = ENTRIES.map((entry) => ({ ...entry }));
    const more = a === undefined ? [] : [{ ...a, count: 5 }];

    expect(countBeyond(more, ENTRIES)).toBe(3);
    expect(atMost(more, ENTRIES)).toEqual([a]);
    expect(countBeyond(more, atLeast(ENTRIES, more))).toBe(0);
  });

  test.each([
    ["<<<<<<< HEAD", "it is not JSON: resolve the merge conflict, or write it again"],
    ["[]", "it is not JSON: resolve the merge conflict, or write it again"],
    ['{"version":2,"problems":[]}', "it is of another version of agent-gauntlet"],
    ['{"version":1}', "it has no list of `problems`"],
    ['{"version":1,"ran":{"x":"all"},"problems":[]}', "`ran` is not what `agent-gauntlet baseline` writes"],
    [
      '{"version":1,"problems":[{"gate":"x","count":-1,"message":""}]}',
      "problem 1 of its list is not one that `agent-gauntlet baseline` writes",
    ],
  ])("that cannot be read says why: %s", (text, why) => {
    expect(readBaselineText(text)).toBe(why);
  });
});
