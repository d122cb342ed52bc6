import { once } from "../once.ts";
import { cleanLog, cleanText } from "./text/clean-text.ts";
import { TRAIT } from "./text/line-traits.ts";
import { type FindBeginnings, type Lines, byteOf } from "./text/lines.ts";
import { splitByTask, type Task, announcedTasks } from "./text/split-by-task.ts";
import { type IsThere, type PlacedText, placedText, SpacedPlaces } from "./text/placed-text.ts";

export interface Log extends Beginnings {
  readonly lines: Lines;
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
  /** All failures together, where several runs of a tool, or kinds of failures, are counted one by one; at least as many as there are. */
  readonly added: number;
  /** Tests were run, and nothing in the log says that one failed. */
  readonly isAllPassed: boolean;
  /** Tests were run. */
  readonly hasTests: boolean;
  /** The sums as they stand in the log, the last ones. */
  readonly summary: string;
}

/** Cleans and splits a raw log. */
export function readLog(raw: string, isThere: IsThere = () => false): Log {
  const { lines, tasks: labelled } = splitByTask(unwrapGoJson(cleanLog(raw)));
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

function toolCounts(lines: Lines): ToolCounts {
  const last = lines.slice(lines.length - SUMMARIES_WITHIN).filter((line) => line.length < LONGEST_LINE);
  const sums = last.filter((line) => SUM.test(line) && !OF_ONE_FILE.test(line) && !TITLE.test(line));
  const numbers = sums.flatMap(failuresIn);
  const isPassed = numbers.length > 0 ? Math.max(...numbers) === 0 : last.some((line) => PASSED.test(line));
  const told = [...new Set(sums.filter((line) => failuresIn(line).some((count) => count > 0)).map(plain))];
  const shown = told.slice(-MOST_SUMMARIES);
  return {
    failures: numbers.length === 0 ? undefined : Math.max(...numbers),
    added: addUp(sums),
    isAllPassed: isPassed,
    hasTests: last.some((line) => TESTS.test(line)),
    summary: shown.length === 0 ? "" : `In sum: ${shown.join(" | ")}`,
  };
}

/** The title of a test may hold a number. */
const TITLE =
  /^\s*(?:[✓✔√✗✘✖×﹣▶] (?!\d)|(?:not )?ok \d|# Subtest: |\[ *(?:RUN|OK|FAILED|PASSED) *\] (?!\d)|--- (?:PASS|FAIL))/;

/** Vitest counts the tests of each file, too. */
const OF_ONE_FILE = /^\s*❯ \S/;
const SUMMARIES_WITHIN = 5000;
const LONGEST_LINE = 400;
const MOST_SUMMARIES = 3;
const LONGEST_SHOWN = 200;

const NOUN = String.raw`(?:errors?|problems?|failed|failures?|failing|fail|errored|offen[cs]es|violations?|issues?|(?:unit |sub)?tests? failed|failed tests?|(?:test\(?s?\)?|test cases?|specs?|examples?|assertions?) (?:FAILED|failed))`;
const SUM = new RegExp(
  String.raw`(?<!:\d+:|\.\w+:)\b\d+ ${NOUN}\b|\b(?:failures|errors|failed|fail|failing)[=:] *\d+\b|^(?:#|ℹ) fail \d+$|\b\d+ (?:FAILED TEST|scenarios? \()|\bfailed \d+ (?:test|assertion)`,
  "i",
);
const NUMBER = new RegExp(
  String.raw`(?<!:\d+:|\.\w+:)\b(\d+) ${NOUN}\b|\b(?:failures|errors|failed|fail|failing)[=:] *(\d+)\b|\b(\d+) FAILED TEST|^(?:#|ℹ) fail (\d+)$`,
  "gi",
);

const PASSED =
  /^[=\s-]*(?:OK \(|OK$|PASS$|PASSED$|ok\s|# fail 0|All tests? (?:successful|passed)|.*\b100% tests passed|Result: PASS|\s*\d+ (?:passing|passed)\b)/i;

const TESTS =
  /\b\d+ (?:tests?|specs?|examples?|scenarios?|test cases?|test\(s\)|runs|passed|passing|pass)\b|\b(?:tests|passed|pass)[=:] *\d+/i;

function failuresIn(line: string): readonly number[] {
  return [...line.matchAll(NUMBER)].map(([, ...numbers]) => Number(numbers.find(Boolean)));
}

/** Sums that begin alike are those of one tool that ran several times. */
function addUp(sums: readonly string[]): number {
  const byBeginning = new Map<string, number>();
  for (const line of sums) {
    const beginning = line.split(/\d/, 1)[0] ?? "";
    const numbers = /\b(?:problems?|checks?) \(/.test(line) ? failuresIn(line).slice(0, 1) : failuresIn(line);
    const unknown = Number(/(\d+) undefined/.exec(line)?.[1] ?? 0);
    const count = numbers.reduce((sum, number) => sum + number, unknown);
    byBeginning.set(beginning, (byBeginning.get(beginning) ?? 0) + count);
  }
  return Math.max(0, ...byBeginning.values());
}

function plain(line: string): string {
  const text = line.replace(/^[\s=]+|[\s=]+$/g, "");
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text;
}

interface Beginnings {
  readonly beginning: FindBeginnings;
  readonly numbered: readonly number[];
}

/**
 * Looks at the first eight characters of every line once, so that forty parsers need not: to look at one line in ten again for each word
 * takes longer, for the memory is slow. The lines are sorted into drawers by the first character, in typed arrays, for a log may have
 * half a million.
 */
function indexBeginnings(lines: Lines): Beginnings {
  const indents = new Uint16Array(lines.length);
  const heads = new Int32Array(2 * lines.length);
  const numbered: number[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const indent = lines.indentOf(index);
    const head = lines.headAt(index, indent);
    indents[index] = indent;
    heads[2 * index] = head;
    heads[2 * index + 1] = lines.headAt(index, indent + 4);
    if (isDigit(head & 255)) numbered.push(index);
  }
  const { sorted, sortedHeads, ends } = intoDrawers(heads);
  const known = new Map<string, readonly number[]>();
  return {
    numbered,
    beginning: (...words) =>
      words
        .map(linesWith)
        .toSorted((one, other) => one.length - other.length) // a long list is copied once
        .reduce(inOrder, []),
  };

  function linesWith(word: string): readonly number[] {
    const found = known.get(word) ?? linesWithWord(word);
    known.set(word, found);
    return found;
  }

  function linesWithWord(word: string): readonly number[] {
    const masks = [maskOf(word.length), maskOf(word.length - 4)] as const;
    const head = headOf(word) & masks[0];
    const next = headOf(word.slice(4)) & masks[1];
    const isSure = word.length <= 8 && /^[\u0000-\u007F]*$/.test(word);
    const found: number[] = [];
    for (let at = ends[(head & 255) - 1] ?? 0; at < (ends[head & 255] ?? 0); at += 1) {
      const isAlike =
        ((sortedHeads[2 * at] ?? 0) & masks[0]) === head &&
        ((sortedHeads[2 * at + 1] ?? 0) & masks[1]) === next;
      if (!isAlike) continue;
      const index = sorted[at] ?? 0;
      if (isSure || lines.startsWith(index, word, indents[index] ?? 0)) found.push(index);
    }
    return found;
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function headOf(word: string): number {
  return [0, 1, 2, 3].reduce((head, at) => head | (byteOf(word.charCodeAt(at)) << (8 * at)), 0);
}

function maskOf(length: number): number {
  return length >= 4 ? -1 : (1 << (8 * Math.max(0, length))) - 1;
}

/** The numbers of all lines, and how they begin, drawer by drawer; and where each drawer ends. */
function intoDrawers(heads: Int32Array) {
  const count = heads.length / 2;
  const ends = new Int32Array(256);
  for (let index = 0; index < count; index += 1) {
    const drawer = (heads[2 * index] ?? 0) & 255;
    ends[drawer] = (ends[drawer] ?? 0) + 1;
  }
  let sum = 0;
  ends.forEach((size, drawer) => {
    ends[drawer] = sum;
    sum += size;
  });
  const sorted = new Int32Array(count);
  const sortedHeads = new Int32Array(heads.length);
  for (let index = 0; index < count; index += 1) {
    const head = heads[2 * index] ?? 0;
    const at = ends[head & 255] ?? 0;
    sorted[at] = index;
    sortedHeads[2 * at] = head;
    sortedHeads[2 * at + 1] = heads[2 * index + 1] ?? 0;
    ends[head & 255] = at + 1;
  }
  return { sorted, sortedHeads, ends };
}

function inOrder(one: readonly number[], other: readonly number[]): readonly number[] {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const merged: number[] = [];
  let next = 0;
  for (const number of one) {
    while (next < other.length && (other[next] ?? 0) < number) merged.push(other[next++] ?? 0);
    merged.push(number);
  }
  while (next < other.length) merged.push(other[next++] ?? 0);
  return merged;
}
