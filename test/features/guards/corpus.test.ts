import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { patchedFile } from "../../../src/features/guards/patched-file.ts";
import { suppressions } from "../../../src/features/guards/suppressions.ts";
import { weakenedTests } from "../../../src/features/guards/weakened-tests.ts";
import { parsePatch } from "../../../src/system/git/parse-patch.ts";

/** The shape of changes that real projects made, with every name and text replaced; each labelled by hand with the lines a guard should name, or `clean`. */
const FIXTURES = join(import.meta.dirname, "../../fixtures/conduct");

interface Case {
  readonly name: string;
  readonly guard: string;
  readonly lines: readonly number[];
  readonly patch: string;
}

const cases = readdirSync(FIXTURES).flatMap((file) =>
  readFileSync(join(FIXTURES, file), "utf8")
    .split(/^(?=# )/m)
    .slice(1)
    .map((text): Case => {
      const [, commit = "", guard = "", lines] = /^# (\S+) (\S+)(?: ([\d,]+))?\n/.exec(text) ?? [];
      return {
        name: `${file} ${commit}`,
        guard,
        lines: (lines ?? "").split(",").filter(Boolean).map(Number),
        patch: text.slice(text.indexOf("\n") + 1),
      };
    }),
);

const detectors = { "weakened-tests": weakenedTests, suppressions };

/** What each detector says about a case, and whether the label says it too. */
function judged({ name, guard, lines, patch }: Case) {
  const files = parsePatch(patch).map(patchedFile);
  return Object.entries(detectors).flatMap(([detector, detect]) => {
    const left = guard === detector ? [...lines] : [];
    return detect(files).map(({ line, issue }) => {
      const at = left.findIndex((one) => Math.abs(one - (line ?? 0)) <= 2);
      if (at !== -1) left.splice(at, 1);
      return { case: name, detector, said: `${line} ${issue}`, isTrue: at !== -1 };
    });
  });
}

test.each(["weakened-tests", "suppressions"])("%s is right at least 95 times in 100", (detector) => {
  const said = cases.flatMap(judged).filter((one) => one.detector === detector);
  const wrong = said.filter(({ isTrue }) => !isTrue);

  expect(said.length).toBeGreaterThan(30);
  expect(wrong.length / said.length, JSON.stringify(wrong, null, 2)).toBeLessThanOrEqual(0.05);
});

test("nine of ten labelled lines are found", () => {
  const labelled = cases.reduce((sum, { lines }) => sum + lines.length, 0);
  const found = cases.flatMap(judged).filter(({ isTrue }) => isTrue).length;

  expect(found / labelled).toBeGreaterThanOrEqual(0.9);
});

test("what real projects do to their tests every day is left alone", () => {
  const clean = cases.filter(({ guard }) => guard === "clean");
  const said = clean.flatMap(judged);

  expect(clean.length).toBeGreaterThan(50);
  expect(said.length / clean.length, JSON.stringify(said, null, 2)).toBeLessThanOrEqual(0.05);
});

test("each kind of change that was written anew is judged right", () => {
  const reduced = cases.filter(({ name }) => name.startsWith("reduced.diff "));
  const wrong = reduced.filter((one) => {
    const said = judged(one);
    return said.some(({ isTrue }) => !isTrue) || said.length !== one.lines.length;
  });

  expect(reduced.length).toBeGreaterThanOrEqual(20);
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
