import { expect, test } from "vitest";
import { doubtAbout, type Span, type Touched } from "../../src/run/movement.ts";

const FIRST = { start: 1_001, end: 2_001 };
const SECOND = { start: 2_101, end: 3_001 };
const BESIDE = { start: 1_001, end: 3_001 };

/** What one look after all gates finds. */
function doubt(gates: readonly Span[], ...touched: readonly Touched[]): string | undefined {
  return doubtAbout(
    touched.map((one) => ({ ...one, gates })),
    gates,
  );
}

function same(path: string, at: number): Touched {
  return { path, at, isChanged: false };
}

function changed(path: string, at: number): Touched {
  return { path, at, isChanged: true };
}

test("a tree that stood still is in no doubt", () => {
  expect(doubt([FIRST])).toBeUndefined();
});

test.each([
  ["before the gates", 500.5],
  ["between two gates", 2_050.5],
  ["after the gates", 3_500.5],
  ["a moment after a gate has ended", 2_005.5],
])("what was written %s was not written by a gate, changed or put back", (_, at) => {
  expect(doubt([FIRST, SECOND], same("a", at))).toContain("(a)");
});

test("one gate may write what was there before, also beside another", () => {
  const both = [same("a", 1_500.5), same("b", 1_600.5)];

  expect(doubt([FIRST, SECOND], ...both)).toBeUndefined();
  expect(doubt([FIRST, BESIDE], ...both)).toBeUndefined();
});

test("what two gates wrote, no one of them has written", () => {
  expect(doubt([FIRST, SECOND], same("a", 1_500.5), same("b", 2_500.5))).toContain("more than one gate");
});

test("another content is fine while only gates that start later read it", () => {
  const early = changed("a", 1_500.5);

  expect(doubt([FIRST], early)).toBeUndefined();
  expect(doubt([FIRST, SECOND], early)).toBeUndefined();
  expect(doubt([FIRST, BESIDE], early)).toContain("a gate changed files while others ran (a)");
  expect(doubt([FIRST, SECOND], changed("a", 2_500.5))).toContain("(a)");
});

test("a file that one gate changed and another put back was written by two, however short the time", () => {
  const second = { start: 2_002, end: 2_003 };
  const writes = [
    { ...changed("a", 2_000.5), gates: [FIRST] },
    { ...same("a", 2_002.5), gates: [second] },
  ];

  expect(doubtAbout(writes, [FIRST, second])).toContain("more than one gate may have written (a)");
});

test("what one of two gates beside each other had changed in between is in doubt although it put it back", () => {
  const writes = [
    { ...changed("a", 1_500.5), gates: [FIRST, BESIDE] },
    { ...same("a", 2_500.5), gates: [BESIDE] },
  ];

  expect(doubtAbout(writes, [FIRST, BESIDE])).toContain("a gate changed files while others ran (a)");
});

test("a gate that puts back what it changed before any other started is in no doubt", () => {
  const writes = [
    { ...changed("a", 1_500.5), gates: [FIRST] },
    { ...same("a", 1_600.5), gates: [FIRST] },
  ];

  expect(doubtAbout(writes, [FIRST, SECOND])).toBeUndefined();
});

test("between two gates that were not looked at apart, the second may only have been the last to write", () => {
  expect(doubt([FIRST, SECOND], same("a", 1_500.5))).toBeUndefined();
  expect(doubt([FIRST, SECOND], same("a", 2_500.5))).toContain("more than one gate may have written (a)");
  expect(doubt([BESIDE, SECOND], same("a", 2_500.5))).toBeUndefined();
});

test("a change between two gates is in doubt, however short the time: the first has not seen it", () => {
  const second = { start: 2_006, end: 3_001 };

  expect(doubt([FIRST, second], changed("a", 2_004.5))).toContain("(a)");
});

test("a clock that is a tick behind ours, and ours rounded down, make no doubt of a gate's own writing", () => {
  expect(doubt([FIRST], same("a", 992.5))).toBeUndefined();
  expect(doubt([FIRST], same("a", 2_001.9))).toBeUndefined();
});

test("a clock that ticks in seconds gets the benefit of the doubt", () => {
  expect(doubt([{ start: 1_900, end: 1_950 }], same("a", 1_000))).toBeUndefined();
});
