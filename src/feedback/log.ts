import { once } from "../core/once.ts";
import { type Beginnings, indexBeginnings } from "./text/beginnings.ts";
import { cleanLog, cleanText } from "./text/clean-text.ts";
import { TRAIT } from "./text/line-traits.ts";
import type { Lines } from "./text/lines.ts";
import { untangle, type Task, announcedTasks } from "./text/untangle.ts";
import { type IsThere, type PlacedText, placedText, SpacedPlaces } from "./text/placed-text.ts";

/** What a gate printed, as a person would have seen it; read once for all parsers. */
export interface Log extends Beginnings {
  readonly lines: Lines;
  /** The lines that begin with a place in a file. */
  readonly placed: readonly PlacedText[];
  readonly isPlaced: (line: number) => boolean;
  /** Tells a file's name with spaces from a sentence. */
  readonly isThere: IsThere;
  /** The tasks of a runner of several programs, in order. */
  readonly tasks: readonly Task[];
  /** Checks what the parsers have read; counted when it is first asked for. */
  readonly counts: () => ToolCounts;
}

/** What the tools of a log say in sum. */
export interface ToolCounts {
  /** The highest number of failures any of them names; undefined when none does. */
  readonly failures: number | undefined;
  /** Tests were run, and nothing in the log says that one failed. */
  readonly isAllPassed: boolean;
  /** Tests were run. */
  readonly hasTests: boolean;
  /** The sums as they stand in the log, the last ones. */
  readonly summary: string;
}

/** Cleans and splits a raw log. */
export function readLog(raw: string, isThere: IsThere = () => false): Log {
  const { lines, tasks: labelled } = untangle(unwrapGoJson(cleanLog(raw)));
  const placed: PlacedText[] = [];
  const isPlaced = new Uint8Array(lines.length);
  const spaced = new SpacedPlaces(isThere);
  for (let index = 0; index < lines.length; index += 1) {
    const found = lines.may(index, TRAIT.number) ? placedText(lines, index, spaced) : undefined;
    if (found === undefined) continue;
    placed.push(found);
    isPlaced[index] = 1;
  }
  const { beginning, numbered } = indexBeginnings(lines);
  return {
    lines,
    beginning,
    numbered,
    placed,
    isPlaced: (line) => isPlaced[line] === 1,
    isThere,
    tasks: [...labelled, ...announcedTasks(lines, beginning)].toSorted((one, other) => one.from - other.from),
    counts: once(() => toolCounts(lines)),
  };
}

/** `go test -json` wraps every line of output; the lines come back as `go test -v` prints them, package by package. */
function unwrapGoJson(lines: Lines): Lines {
  if (!lines.include('"Action":"output"')) return lines;
  const others = new Int32Array(lines.length);
  let count = 0;
  const packages = new Map<string, string[]>();
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines.startsWith(index, "{", 0) ? lines.at(index) : "";
    if (line === "" || !EVENT.test(line)) {
      others[count] = index;
      count += 1;
      continue;
    }
    const name = PACKAGE.exec(line)?.[1] ?? "";
    const output = packages.get(name) ?? [];
    packages.set(name, output);
    output.push(outputOf(line));
  }
  const outputs = [...packages.values()].map((output) => output.join(""));
  return outputs.length === 0
    ? lines
    : lines.picked(others.subarray(0, count)).plus(cleanText(outputs.join("\n")));
}

const EVENT = /^\{.*"Action":"\w+(?:-\w+)?"/;
const PACKAGE = /"(?:Package|ImportPath)":"([^"]*)"/;

/** Only what JSON allows between quotes, so that reading it cannot fail. */
const OUTPUT = /"Output":("(?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")/;

function outputOf(line: string): string {
  const literal = OUTPUT.exec(line)?.[1];
  return literal === undefined ? "" : String(JSON.parse(literal));
}

/** Reads the sums at the end of a log. */
function toolCounts(lines: Lines): ToolCounts {
  const last = lines.slice(lines.length - SUMMARIES_WITHIN).filter((line) => line.length < LONGEST_LINE);
  const sums = last.filter((line) => SUM.test(line) && !OF_ONE_FILE.test(line));
  const numbers = sums.flatMap(failuresIn);
  const isPassed = numbers.length > 0 ? Math.max(...numbers) === 0 : last.some((line) => PASSED.test(line));
  const told = [...new Set(sums.filter((line) => failuresIn(line).some((count) => count > 0)).map(plain))];
  const shown = told.slice(-MOST_SUMMARIES);
  return {
    failures: numbers.length === 0 ? undefined : Math.max(...numbers),
    isAllPassed: isPassed,
    hasTests: last.some((line) => TESTS.test(line)),
    summary: shown.length === 0 ? "" : `In sum: ${shown.join(" | ")}`,
  };
}

/** Vitest counts the tests of each file, too. */
const OF_ONE_FILE = /^\s*❯ \S/;
const SUMMARIES_WITHIN = 5000;
const LONGEST_LINE = 400;
const MOST_SUMMARIES = 3;
const LONGEST_SHOWN = 200;

const NOUN = String.raw`(?:errors?|problems?|failed|failures?|failing|fail|errored|offen[cs]es|violations?|issues?|(?:unit |sub)?tests? failed|failed tests?|(?:test\(?s?\)?|test cases?|specs?|examples?|assertions?) (?:FAILED|failed))`;
const SUM = new RegExp(
  String.raw`\b\d+ ${NOUN}\b|\b(?:failures|errors|failed|fail|failing)[=:] *\d+\b|\b\d+ (?:FAILED TEST|scenarios? \()|\bfailed \d+ (?:test|assertion)`,
  "i",
);
const NUMBER = new RegExp(
  String.raw`\b(\d+) ${NOUN}\b|\b(?:failures|errors|failed|fail|failing)[=:] *(\d+)\b|\b(\d+) FAILED TEST`,
  "gi",
);

const PASSED =
  /^[=\s-]*(?:OK \(|OK$|PASS$|PASSED$|ok\s|# fail 0|All tests? (?:successful|passed)|.*\b100% tests passed|Result: PASS|\s*\d+ (?:passing|passed)\b)/i;

const TESTS =
  /\b\d+ (?:tests?|specs?|examples?|scenarios?|test cases?|test\(s\)|runs|passed|passing|pass)\b|\b(?:tests|passed|pass)[=:] *\d+/i;

function failuresIn(line: string): readonly number[] {
  return [...line.matchAll(NUMBER)].map(([, one, other, third]) => Number(one ?? other ?? third));
}

function plain(line: string): string {
  const text = line.replace(/^[\s=]+|[\s=]+$/g, "");
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text;
}
