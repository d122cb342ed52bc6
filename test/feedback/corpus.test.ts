import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { measure, readCorpus } from "./corpus/measure.ts";

const recordings = readCorpus(fileURLToPath(new URL("../fixtures/tools", import.meta.url)));
const failing = recordings.filter(({ failures }) => failures.length > 0);
const clean = recordings.filter(({ failures }) => failures.length === 0);

describe("what real tools print", () => {
  test.each(failing)("$name: every failure is named with its place, within the budget", (recording) => {
    const { missed, digestChars } = measure(recording);

    expect(missed).toEqual([]);
    expect(digestChars).toBeLessThanOrEqual(9000);
  });

  test.each(failing.filter(({ text }) => text.length > 9000))(
    "$name: says more than any excerpt",
    (recording) => {
      const { digest, of, tailLines, headChars, tailChars } = measure(recording);
      const best = Math.max(tailLines, headChars, tailChars);

      expect(digest === of || digest > best).toBe(true);
      expect(digest).toBeGreaterThanOrEqual(best);
    },
  );

  test.each(clean)("$name: a clean run has no problems", (recording) => {
    expect(measure(recording).claims).toBe(0);
  });

  test("the corpus is wide enough to mean something", () => {
    const tools = new Set(recordings.map(({ name }) => name.split("/")[0]));

    expect(tools.size).toBeGreaterThanOrEqual(20);
    expect(recordings.length).toBeGreaterThanOrEqual(50);
    expect(clean.length).toBeGreaterThanOrEqual(15);
    expect(failing.filter(({ text }) => text.split("\n").length > 1000).length).toBeGreaterThanOrEqual(4);
  });
});
