import { TRAIT } from "../../text/line-traits.ts";
import type { Lines } from "../../text/lines.ts";
import { placedParser } from "../placed-parser.ts";
import type { Log } from "../../log.ts";
import { type Finding, type Parser, type Caught, finding, ignored } from "../parser.ts";
import { type Section, headings, lastBelow, toFinding } from "../sections.ts";
import { frameOf } from "../failure-body.ts";
import type { PlacedText } from "../../text/placed-text.ts";

/** GCC and Clang; many compilers and linters print like them. */
export const gcc = placedParser({
  name: "gcc",
  kind: "build",
  says: (rest, placed) => /^(?:fatal )?(?:error|warning): /.test(rest) && SOURCE.test(placed.place.file),
});

const SOURCE = /\.(?:[chm]|cc|cpp|cxx|c\+\+|hh|hpp|hxx|inl|mm|cu|cuh|S)$/i;

/** GNU ld, gold and lld: an undefined or duplicate symbol; with a line only where there is debug information. */
export const linker: Parser = { name: "linker", kind: "build", parse: parseLinker };

const UNRESOLVED =
  /^(?:\S*\bld(?:\.\w+)?: )?(?:error: )?(?<file>[^\s:]+\.\w+):(?:\(\.\w+[^)]*\)|(?<line>\d+)): (?<message>(?:undefined reference|multiple definition|undefined symbol).*)$/;

const SYMBOL = /: (?:undefined|multiple) /;

/** Such a line may begin with anything, so every unread line is looked at. */
function parseLinker({ lines }: Log, isRead: (line: number) => boolean): readonly Finding[] {
  const symbols: number[] = [];
  for (let index = 0; index < lines.length; index += 1)
    if (lines.may(index, TRAIT.symbol) && !isRead(index) && SYMBOL.test(lines.at(index))) symbols.push(index);
  return headings(lines, symbols, UNRESOLVED).map(toFinding(({ heading }) => heading));
}

/** Sanitizers, Go's race detector and valgrind: what went wrong on one line, the stacks below it. */
export const sanitizers: Parser = { name: "sanitizers", kind: "test", parse: parseSanitizers };

const ERROR =
  /^(?:==\d+==)?\s*(?:(?:ERROR|WARNING): (?<said>\w+Sanitizer: .*?|DATA RACE)(?: \(pid=\d+\))?$|(?<leak>(?:Direct|Indirect) leak of .*)|(?<memory>(?:Invalid (?:read|write|free)|Conditional jump|Use of uninitialised|Mismatched free|Source and destination overlap|Syscall param|Process terminating with).*|\d[\d,]* (?:\([^)]*\) )?bytes in \d.* are (?:definitely|indirectly|possibly) lost.*))$/;

const SANITIZERS_LONGEST = 40;

function parseSanitizers({ lines, beginning }: Log): readonly Finding[] {
  const starts = beginning("==", "WARNING: ", "ERROR: ", "Direct leak", "Indirect leak").filter((line) =>
    ERROR.test(lines.at(line)),
  );
  return starts.flatMap((from, order) => {
    const next = Math.min(starts[order + 1] ?? lines.length, from + SANITIZERS_LONGEST);
    const length = lines
      .slice(from + 1, next)
      .findIndex((line, index) => isEnd(line, lines.at(from + index)));
    const to = length === -1 ? next : from + 1 + length;
    const body = lines.slice(from + 1, to).map(withoutProcess);
    return body.some((line) => frameOf(line) !== undefined)
      ? [finding(() => describeSanitizers(lines.at(from), body), from, to)]
      : [];
  });
}

/** valgrind ends a report with an empty line; sanitizers with their summary. */
function isEnd(line: string, before: string): boolean {
  return (
    /^==\d+==\s*$/.test(line) ||
    /^(?:SUMMARY: |={10,}$|Shadow bytes )/.test(line) ||
    (line.trim() === "" && /leak of|^\s*#\d+ .*\bmain\b/.test(before))
  );
}

function withoutProcess(line: string): string {
  return line.replace(/^==\d+==/, "");
}

function describeSanitizers(heading: string, body: readonly string[]): Caught {
  const { said, leak, memory } = ERROR.exec(heading)?.groups ?? {};
  const frames = body.flatMap((line) => frameOf(line) ?? []);
  const own = frames.find(({ isForeign }) => !isForeign);
  const message = (said ?? leak ?? memory ?? heading).replace(/ on address 0x.*$/, "");
  return {
    file: own?.file,
    line: own?.line,
    column: own?.column,
    message,
    excerpt: body.filter((line) => frameOf(line)?.isForeign !== true),
  };
}

/** Catch2, doctest, Boost.Test and Check: the failed assertion with its place, the name of the test above it or in it. */
export const cppTests: Parser = { name: "cpp-tests", kind: "test", parse: parseCppTests };

const FAILED =
  /^(?:FAILED:$|failed: |ERROR: (?:test case |CHECK|REQUIRE|FAIL|TEST CASE)|FATAL ERROR: |(?:fatal )?error: in "|[FE]:[\w /-]+:[\w]+:\d+: )/;
const REMARK =
  /^(?:(?:Entering|Leaving) test |info: |PASSED:$|passed: |last checkpoint: |SUCCESS: |P:[\w /-]+:)/;

function parseCppTests(log: Log): readonly Finding[] {
  const findings: Finding[] = [];
  for (const placed of log.placed) {
    const { rest, index } = placed;
    if (REMARK.test(rest)) findings.push(ignored(index, index + 1));
    if (!FAILED.test(rest)) continue;
    const to = endOfAssertion(log, index + 1);
    findings.push(finding(() => describeCppTests(log, placed, to), index, to));
  }
  return findings;
}

const CPP_TESTS_LONGEST = 30;

function endOfAssertion({ lines, isPlaced }: Log, start: number): number {
  let end = start;
  while (end < lines.length && end - start < CPP_TESTS_LONGEST && !isPlaced(end) && !isBlankEnd(lines, end))
    end += 1;
  return end;
}

function isBlankEnd(lines: Lines, index: number): boolean {
  const line = lines.at(index);
  return (
    /^(?:[-=.~]{20,}|\*{3} )/.test(line) ||
    (line.trim() === "" && !/^\s*(?:values|logged|with expansion)/.test(lines.at(index + 1)))
  );
}

/** `in "suite/test": message` of Boost; `F:case:test:0: message` of Check; `REQUIRE( x )` below the place of Catch2. */
function describeCppTests(log: Log, { place, rest, index }: PlacedText, to: number): Caught {
  const below = log.lines.slice(index + 1, to);
  const own =
    /^(?:fatal )?error: in "(?<test>[^"]+)": (?<message>.*)$|^[FE]:(?<suite>[\w /-]+):(?<name>\w+):\d+: (?<said>.*)$/.exec(
      rest,
    )?.groups;
  const test = own?.["test"] ?? own?.["name"] ?? nameAbove(log.lines, index);
  const said = own?.["message"] ?? own?.["said"] ?? (/^FAILED:$/.test(rest) ? below[0] : rest);
  const { file, line, column } = place;
  return { file, line, column, test, message: said, excerpt: below };
}

const FARTHEST = 80;
const RULE = /^(?:-{20,}|={20,})$/;

/** Between two rules, a section below its test case; or behind `TEST CASE:`. */
function nameAbove(lines: Lines, index: number): string | undefined {
  const start = Math.max(0, index - FARTHEST);
  for (let above = index - 1; above >= start; above -= 1) {
    const line = lines.at(above);
    const named = /^TEST CASE: +(?<test>\S.*)$/.exec(line)?.groups?.["test"];
    if (named !== undefined) return [named, ...sectionsBelow(lines, above + 1)].join(" > ");
    if (RULE.test(line) && lines.at(above - 1).trim() !== "") return betweenRules(lines, above);
  }
  return undefined;
}

function sectionsBelow(lines: Lines, from: number): readonly string[] {
  const end = lines.slice(from, from + 10).findIndex((line) => line.trim() === "");
  return lines.slice(from, from + Math.max(0, end)).map((line) => line.trim());
}

function betweenRules(lines: Lines, end: number): string | undefined {
  const names: string[] = [];
  for (let above = end - 1; above >= Math.max(0, end - 10); above -= 1) {
    const line = lines.at(above);
    if (RULE.test(line)) return names.join(" > ") || undefined;
    names.unshift(line.trim());
  }
  return undefined;
}

/** GoogleTest: what was said of a test stands above `[  FAILED  ] Suite.Test (0 ms)`; at the end the names are listed again. */
export const googleTest: Parser = { name: "googletest", kind: "test", parse: parseGoogleTest };

const GOOGLE_FAILED = /^\[ {2}FAILED {2}\] (?<test>\S+?)(?:, where .*?)?(?<time> \(\d+ ms\))?$/;
const GOOGLE_PLACE =
  /^(?:(?<file>\S+?)(?::(?<line>\d+): Failure|\((?<lineOnWindows>\d+)\): error: .*)|unknown file: .*)$/;

function parseGoogleTest({ lines, beginning }: Log): readonly Finding[] {
  const marks = beginning("[");
  const failed = headings(lines, marks, GOOGLE_FAILED);
  const told = new Set(failed.filter(({ heading }) => heading["time"] !== undefined).map(testOf));
  return failed.flatMap((section) => {
    const { from, to, heading } = section;
    const test = testOf(section);
    if (heading["time"] === undefined) return told.has(test) ? [ignored(from, to)] : [];
    const above = (lastBelow(marks, from) ?? -1) + 1;
    return [finding(() => ({ ...describeGoogleTest(lines.slice(above, from)), test }), above, to)];
  });
}

function testOf({ heading }: Section): string {
  return heading["test"] ?? "";
}

/** Its message takes several lines, and a test may have several. */
function describeGoogleTest(body: readonly string[]): Caught {
  const starts = body.flatMap((line, index) => (GOOGLE_PLACE.test(line) ? [index] : []));
  const [first = -1, second = body.length] = starts;
  const { file, line, lineOnWindows } = GOOGLE_PLACE.exec(body[first] ?? "")?.groups ?? {};
  const printed = first > 0 ? body.slice(0, first) : [];
  const said = body.slice(first + 1, second).filter((one) => one.trim() !== "");
  const message = said.slice(0, MOST_SAID).join(" ");
  const excerpt = [...said.slice(MOST_SAID), ...body.slice(second), ...printed];
  return { file, line: line ?? lineOnWindows, message, excerpt };
}

const MOST_SAID = 8;
