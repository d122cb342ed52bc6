import { expect, test } from "vitest";
import { doubtAbout } from "../../../src/core/baseline/movement.ts";

const FIRST = { start: 1_001, end: 2_001 };
const SECOND = { start: 2_101, end: 3_001 };
const BESIDE = { start: 1_001, end: 3_001 };

function moved(...touched: readonly { path: string; at?: number; isChanged: boolean }[]) {
  return { isCurrent: touched.every(({ isChanged }) => !isChanged), touched };
}

test("a tree that stood still is in no doubt", () => {
  expect(doubtAbout(moved(), [FIRST])).toBeUndefined();
});

test.each([
  ["before the gates", 500.5],
  ["between two gates", 2_050.5],
  ["after the gates", 3_500.5],
  ["a moment after a gate has ended", 2_005.5],
])("what was written %s was not written by a gate, changed or put back", (_, at) => {
  expect(doubtAbout(moved({ path: "a", at, isChanged: false }), [FIRST, SECOND])).toContain("(a)");
});

test("one gate may write what was there before, also beside another", () => {
  const same = moved(
    { path: "a", at: 1_500.5, isChanged: false },
    { path: "b", at: 1_600.5, isChanged: false },
  );

  expect(doubtAbout(same, [FIRST, SECOND])).toBeUndefined();
  expect(doubtAbout(same, [FIRST, BESIDE])).toBeUndefined();
});

test("what two gates wrote, no one of them has written", () => {
  const both = moved(
    { path: "a", at: 1_500.5, isChanged: false },
    { path: "b", at: 2_500.5, isChanged: false },
  );

  expect(doubtAbout(both, [FIRST, SECOND])).toContain("a, b");
});

test("another content is fine while only gates that start later read it", () => {
  const changed = moved({ path: "a", at: 1_500.5, isChanged: true });

  expect(doubtAbout(changed, [FIRST])).toBeUndefined();
  expect(doubtAbout(changed, [FIRST, SECOND])).toBeUndefined();
  expect(doubtAbout(changed, [FIRST, BESIDE])).toContain("a gate changed files while others ran (a)");
  expect(doubtAbout(moved({ path: "a", at: 2_500.5, isChanged: true }), [FIRST, SECOND])).toContain("(a)");
});

test("a change between two gates is in doubt, however short the time: the first has not seen it", () => {
  const second = { start: 2_006, end: 3_001 };

  expect(doubtAbout(moved({ path: "a", at: 2_004.5, isChanged: true }), [FIRST, second])).toContain("(a)");
});

test("a clock that is a tick behind ours, and ours rounded down, make no doubt of a gate's own writing", () => {
  expect(doubtAbout(moved({ path: "a", at: 992.5, isChanged: false }), [FIRST])).toBeUndefined();
  expect(doubtAbout(moved({ path: "a", at: 2_001.9, isChanged: false }), [FIRST])).toBeUndefined();
});

test("a clock that ticks in seconds gets the benefit of the doubt", () => {
  expect(
    doubtAbout(moved({ path: "a", at: 1_000, isChanged: false }), [{ start: 1_900, end: 1_950 }]),
  ).toBeUndefined();
});
