import type { Log } from "../log.ts";
import type { PlacedText } from "../placed-text.ts";
import { type Caught, finding, ignored } from "./compose.ts";

import type { Finding, Parser } from "./parser.ts";

/** Catch2, doctest, Boost.Test and Check: the failed assertion with its place, the name of the test above it or in it. */
export const cppTests: Parser = { name: "cpp-tests", kind: "test", parse };

const FAILED =
  /^(?:FAILED:$|failed: |ERROR: (?:test case |CHECK|REQUIRE|FAIL|TEST CASE)|FATAL ERROR: |(?:fatal )?error: in "|[FE]:[\w /-]+:[\w]+:\d+: )/;
const REMARK =
  /^(?:(?:Entering|Leaving) test |info: |PASSED:$|passed: |last checkpoint: |SUCCESS: |P:[\w /-]+:)/;

function parse(log: Log): readonly Finding[] {
  return log.placed.flatMap((placed) => {
    if (REMARK.test(placed.rest)) return [ignored(placed.index, placed.index + 1)];
    if (!FAILED.test(placed.rest)) return [];
    const to = endOfAssertion(log, placed.index + 1);
    return [finding(() => describe(log, placed, to), placed.index, to)];
  });
}

const LONGEST = 30;

function endOfAssertion({ lines, isPlaced }: Log, start: number): number {
  let end = start;
  while (end < lines.length && end - start < LONGEST && !isPlaced(end) && !isBlankEnd(lines, end)) end += 1;
  return end;
}

function isBlankEnd(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  return (
    /^(?:[-=.~]{20,}|\*{3} )/.test(line) ||
    (line.trim() === "" && !/^\s*(?:values|logged|with expansion)/.test(lines[index + 1] ?? ""))
  );
}

/** `in "suite/test": message` of Boost; `F:case:test:0: message` of Check; `REQUIRE( x )` below the place of Catch2. */
function describe(log: Log, { file, line, column, rest, index }: PlacedText, to: number): Caught {
  const below = log.lines.slice(index + 1, to);
  const own =
    /^(?:fatal )?error: in "(?<test>[^"]+)": (?<message>.*)$|^[FE]:(?<suite>[\w /-]+):(?<name>\w+):\d+: (?<said>.*)$/.exec(
      rest,
    )?.groups;
  const test = own?.["test"] ?? own?.["name"] ?? nameAbove(log.lines, index);
  const said = own?.["message"] ?? own?.["said"] ?? (/^FAILED:$/.test(rest) ? below[0] : rest);
  return { file, line, column, test, message: said, excerpt: below };
}

const FARTHEST = 80;
const RULE = /^(?:-{20,}|={20,})$/;

/** Between two rules, a section below its test case; or behind `TEST CASE:`. */
function nameAbove(lines: readonly string[], index: number): string | undefined {
  const start = Math.max(0, index - FARTHEST);
  for (let above = index - 1; above >= start; above -= 1) {
    const line = lines[above] ?? "";
    const named = /^TEST CASE: +(?<test>\S.*)$/.exec(line)?.groups?.["test"];
    if (named !== undefined) return [named, ...sectionsBelow(lines, above + 1)].join(" > ");
    if (RULE.test(line) && (lines[above - 1] ?? "").trim() !== "") return betweenRules(lines, above);
  }
  return undefined;
}

function sectionsBelow(lines: readonly string[], from: number): readonly string[] {
  const end = lines.slice(from, from + 10).findIndex((line) => line.trim() === "");
  return lines.slice(from, from + Math.max(0, end)).map((line) => line.trim());
}

function betweenRules(lines: readonly string[], end: number): string | undefined {
  const names: string[] = [];
  for (let above = end - 1; above >= Math.max(0, end - 10); above -= 1) {
    const line = lines[above] ?? "";
    if (RULE.test(line)) return names.join(" > ") || undefined;
    names.unshift(line.trim());
  }
  return undefined;
}
