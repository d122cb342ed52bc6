import { describe, expect, it } from "vitest";
import {
  anyOf,
  isCount,
  isNumber,
  isText,
  isTime,
  listOf,
  mapOf,
  objectOf,
  oneOf,
  onlyObjectOf,
  type Shape,
  textLike,
} from "../src/shape.ts";

interface Case {
  readonly what: string;
  readonly fits: Shape<unknown>;
  readonly good: unknown;
  readonly bad: unknown;
}

const CASES: readonly Case[] = [
  { what: "a text", fits: isText, good: "", bad: 1 },
  { what: "a count", fits: isCount, good: 0, bad: -1 },
  { what: "a count is whole", fits: isCount, good: 7, bad: 0.5 },
  { what: "a time", fits: isTime, good: 0, bad: 8.64e15 + 1 },
  { what: "a text of a form", fits: textLike(/^\d+$/), good: "12", bad: "12a" },
  { what: "one of some values", fits: oneOf("a", null), good: null, bad: "b" },
  { what: "one of some shapes", fits: anyOf<string | number>(isText, isNumber), good: 1, bad: true },
  { what: "a list", fits: listOf(isText), good: ["a"], bad: ["a", 1] },
  { what: "a list is no object", fits: listOf(isText), good: [], bad: {} },
  { what: "a map", fits: mapOf(isNumber), good: { a: 1 }, bad: { a: "1" } },
  { what: "a map is no list", fits: mapOf(isNumber), good: {}, bad: [1] },
  { what: "an object", fits: objectOf({ a: isText }), good: { a: "", b: 1 }, bad: { b: 1 } },
  { what: "an object is not null", fits: objectOf({}), good: {}, bad: null },
  { what: "an object with what may be there", fits: objectOf({}, { a: isText }), good: {}, bad: { a: 1 } },
  {
    what: "an object with nothing else",
    fits: onlyObjectOf({ a: isText }),
    good: { a: "" },
    bad: { a: "", b: 1 },
  },
  {
    what: "fields are an object's own",
    fits: onlyObjectOf({ a: isText }),
    good: { a: "" },
    bad: { a: "", toString: 1 },
  },
];

describe("shapes", () => {
  it.each(CASES)("$what", ({ fits, good, bad }) => {
    expect(fits(good)).toBe(true);
    expect(fits(bad)).toBe(false);
  });
});
