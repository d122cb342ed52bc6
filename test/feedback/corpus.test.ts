import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { once } from "../../src/once.ts";
import { measure, readCorpus } from "./corpus/measure.ts";

const tools = fileURLToPath(new URL("../fixtures/tools", import.meta.url));
const known = measured(tools);
const held = measured(`${tools}/held`);
const recordings = [...known, ...held.map((one) => ({ ...one, name: `held/${one.name}` }))];
const failing = recordings.filter(({ failures }) => failures.length > 0);
const clean = recordings.filter(({ failures }) => failures.length === 0);

describe("what real tools print", () => {
  test.each(known.filter(({ failures }) => failures.length > 0))(
    "$name: every failure is named with its place, within the budget",
    ({ measures }) => {
      const { missed, digestChars } = measures();

      expect(missed).toEqual([]);
      expect(digestChars).toBeLessThanOrEqual(9000);
    },
  );

  test.each(failing)("$name: no excerpt of the log names more", ({ measures }) => {
    const { digest, tailLines, headChars, tailChars } = measures();

    expect(digest).toBeGreaterThanOrEqual(Math.max(tailLines, headChars, tailChars));
  });

  test.each(clean)("$name: a clean run has no problems", ({ measures }) => {
    expect(measures().claims).toBe(0);
  });

  test("next to nothing is invented", () => {
    const all = recordings.map(({ measures }) => measures());
    const invented = all.reduce((sum, one) => sum + one.invented.length, 0);
    const claims = all.reduce((sum, one) => sum + one.claims, 0);

    expect(invented).toBeLessThanOrEqual(claims / 100);
  });

  test("the corpus is wide enough to mean something", () => {
    expect(names(known).size).toBeGreaterThanOrEqual(70);
    expect(names(held).size).toBeGreaterThanOrEqual(50);
    expect(clean.length).toBeGreaterThanOrEqual(45);
    expect(failing.filter(({ text }) => text.length > 9000).length).toBeGreaterThanOrEqual(40);
  });
});

function measured(directory: string) {
  return readCorpus(directory).map((recording) => ({
    ...recording,
    measures: once(() => measure(recording)),
  }));
}

function names(some: readonly { readonly name: string }[]): ReadonlySet<string | undefined> {
  return new Set(some.map(({ name }) => name.split("/")[0]));
}
