import { expect, test } from "vitest";
import { findRedSummary } from "../../src/gates/repl.ts";

const RED = "{:test 3, :pass 2, :fail 1, :error 0, :type :summary}";
const REPORT = "\nRan 3 tests containing 4 assertions.\n1 failures, 2 errors.\n";

test.each([
  ["a red summary", [RED]],
  ["a red summary among other values", ["nil", RED, "#'user/x"]],
  ["several summaries", [`[{:test 1, :pass 1, :fail 0, :error 0} ${RED}]`]],
  ["a summary inside a map", [`{:report {:summary ${RED}, :files {"a" 1}}}`]],
  ["a summary with maps in it", ["{:pass 0, :fail 1, :error 0, :details {:a {:b 1}}}"]],
  [
    "the summary of a runner that uses a namespace",
    ["#:kaocha.result{:count 1, :pass 0, :error 0, :fail 1}"],
  ],
  ["the same, written out", ["{:kaocha.result/pass 0, :kaocha.result/error 0, :kaocha.result/fail 1}"]],
])("finds %s", (_, values) => {
  expect(findRedSummary(values, "")).toEqual({ failures: 1, errors: 0 });
});

test("finds a red report that ends what was printed, where the value is nil", () => {
  expect(findRedSummary(["nil", "nil"], `lots of text${REPORT}`)).toEqual({ failures: 1, errors: 2 });
});

test.each([
  ["a green summary", ["{:test 3, :pass 3, :fail 0, :error 0, :type :summary}"], ""],
  ["a summary in a string", [JSON.stringify(RED)], ""],
  ["a map that only mentions failures", ["{:fail 1, :reason :none}"], ""],
  ["nothing at all", [], ""],
  ["a red report, when the code had the last word", [":fine"], REPORT],
  ["a red report that is not the end", ["nil"], `${REPORT}all good after all`],
  ["a green report", ["nil"], "Ran 3 tests containing 4 assertions.\n0 failures, 0 errors.\n"],
  ["unbalanced braces", ["{{{{:fail 1 :pass 0 :error 0"], ""],
])("does not take %s for a failure", (_, values, printed) => {
  expect(findRedSummary(values, printed)).toBeUndefined();
});
