import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonInText, readAnswer } from "../../../src/gates/review/review-protocol.ts";

const item = { file: "a.js", line: 1, issue: "x", fix: "", priority: "low" };

test("any answer is found again in any prose before and after it", () => {
  const prose = fc.string({ maxLength: 60 }).map((text) => text.replace(/[{[]/g, "("));
  const answer = fc.record({
    findings: fc.array(
      fc.record({
        file: fc.constant("a.js"),
        line: fc.integer({ min: 1, max: 999 }),
        issue: fc.string({ minLength: 1 }).map((text) => `x${text}`),
        fix: fc.string(),
        priority: fc.constantFrom("critical", "high", "medium", "low"),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  });

  fc.assert(
    fc.property(prose, answer, prose, (before, value, after) => {
      const read = readAnswer(`${before}\n${JSON.stringify(value, null, 1)}\n${after}`, "/p");
      expect(read?.findings.map(({ line }) => line)).toEqual(value.findings.map(({ line }) => line));
    }),
  );
});

test("the last answer counts, so an example in the reviewer's thoughts does not", () => {
  const draft = JSON.stringify({ findings: [item, item] });
  const final = JSON.stringify({ findings: [] });

  expect(readAnswer(`First I thought ${draft} but then: ${final}`, "/p")?.findings).toEqual([]);
});

test("the contract's own example is no answer", () => {
  const example = { findings: [{ ...item, priority: "critical|high|medium|low" }] };

  expect(readAnswer(JSON.stringify(example), "/p")).toBeUndefined();
});

test.each([
  ["unclosed brackets", '{"'.repeat(500_000)],
  ["nested brackets", "[".repeat(500_000)],
  ["one long string", `{"${"a".repeat(1_000_000)}`],
  ["quotes and backslashes", '{"\\'.repeat(300_000)],
])("%s end in no answer, not in a wait", (_, text) => {
  expect(jsonInText(text)).toEqual([]);
});

test.each([
  ["/project/src/a.js", "src/a.js"],
  ["./src/a.js", "src/a.js"],
  [String.raw`src\a.js`, "src/a.js"],
  ["src/a.js", "src/a.js"],
])("a file named %s is %s", (named, expected) => {
  const answer = readAnswer(JSON.stringify({ findings: [{ ...item, file: named }] }), "/project");

  expect(answer?.findings[0]?.file).toBe(expected);
});

test("an answer at the end is found although the beginning is almost JSON", () => {
  const text = `${'{"'.repeat(400_000)}${"plain words ".repeat(5_000)}\n${JSON.stringify({ findings: [item] })}`;

  expect(readAnswer(text, "/p")?.findings).toHaveLength(1);
});
