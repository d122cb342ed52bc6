import * as fc from "fast-check";
import { expect, test } from "vitest";
import { printString } from "../../src/config/brepl/edn-cursor.ts";
import { readEdn } from "../../src/config/brepl/edn-reader.ts";
import { evaluate } from "../../src/system/nrepl/evaluate.ts";
import { jvmMissing, startJvm } from "../rig/nrepl-servers.ts";

const missing = jvmMissing();

const words =
  "nil true 1 -1 08 1N 2.5M 1/2 1/0 0x1F 2r12 1e3 a a/b :a :a/b ::a : / a/ /a 'a ##Inf ##x \\a \\space \\u0041 \\o8";
const phrases = [
  "#_",
  "#foo 1",
  '#inst "2026-01-01"',
  "^:a",
  "^1",
  "; c\n",
  '"\\u00e9"',
  '"\\q"',
  '"\\18"',
  '"\\7 "',
  "#:n",
  "@",
];
const token = fc.constantFrom(...words.split(" "), ...phrases);
const soup = fc
  .array(fc.oneof(token, fc.constantFrom("{", "}", "[", "]", "(", ")", "#{")), { maxLength: 8 })
  .map((parts) => parts.join(" "));
const balanced = fc
  .tuple(fc.constantFrom("[]", "{}", "()", "#{}", "#:n{}"), fc.array(token, { maxLength: 4 }))
  .map(([brackets, parts]) => `${brackets.slice(0, -1)}${parts.join(" ")}${brackets.slice(-1)}`);

test.skipIf(missing !== undefined)(
  `refuses exactly what clojure.edn refuses${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  async () => {
    await using jvm = await startJvm();
    const texts = [...new Set(fc.sample(fc.oneof(soup, balanced), { numRuns: 3_000, seed: 3 }))];

    const verdicts = await clojureAccepts(jvm.port, texts);

    const disagreements = texts.filter(
      (text, index) => (readEdn(text).problems.length === 0) !== verdicts[index],
    );
    expect(new Set(verdicts)).toEqual(new Set([true, false]));
    expect(disagreements).toEqual([]);
  },
);

async function clojureAccepts(port: number, texts: readonly string[]): Promise<readonly boolean[]> {
  const reads = "(fn [text] (try (clojure.edn/read-string text) true (catch Throwable _ false)))";
  const code = `(require 'clojure.edn) (mapv ${reads} [${texts.map(printString).join(" ")}])`;
  const request = { server: { host: "127.0.0.1", port }, code, timeoutMs: 30_000, onOutput: () => {} };
  const end = await evaluate(request, new AbortController().signal);
  if (end.kind !== "evaluated" || end.exception !== undefined) throw new Error(JSON.stringify(end));
  return (end.values.at(-1) ?? "").match(/true|false/g)?.map((word) => word === "true") ?? [];
}
