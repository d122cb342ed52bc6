import type { Log } from "../log.ts";
import { type FoundPlace, findPlace } from "../text/placed-text.ts";
import { toolCounts } from "../tool-counts.ts";
import { type Caught, finding } from "./compose.ts";
import { isSameFile, readFailureBody, frameOf, isForeignFile } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { findMarks, type Mark, needsEvidence } from "./test-marks.ts";

/**
 * Failed tests of runners without a parser, by their shape: a mark with a name, and what was said about it below, or above, up to the
 * next mark.
 */
export const failedTests: Parser = { name: "tests", kind: "test", parse };

function parse(log: Log, isRead: (line: number) => boolean): readonly Finding[] {
  const marks = findMarks(log, isRead);
  if (!marks.some(({ test }) => test !== undefined) || toolCounts(log.lines).isAllPassed) return [];
  const forms = new Set(marks.flatMap(({ test, form }) => (test === undefined ? [] : [form])));
  return [...forms].flatMap((form) => readForm(log, marks, form));
}

function readForm(log: Log, marks: readonly Mark[], form: number): readonly Finding[] {
  const own = marks.flatMap((mark, index) => (mark.form === form && mark.test !== undefined ? [index] : []));
  const sample = own.slice(0, SAMPLE);
  const below = sample.filter((at) => isToldBelow(log, marks[at]?.index ?? 0)).length;
  const above = sample.filter((at) => isToldAbove(log, marks[at]?.index ?? 0)).length;
  return own.flatMap((at, order) => {
    const mark = marks[at];
    if (mark === undefined) return [];
    if (order > MOST_LOOKED_AT) return [finding(() => ({ test: mark.test }), mark.index)];
    const region = above > below ? regionAbove(log, marks, at) : regionBelow(log, marks, at);
    const isTold = hasEvidence(log, region);
    if (!isTold && needsEvidence(form)) return [];
    const { from, to } = isTold ? region : { from: mark.index, to: mark.index };
    const read = () => describe(log, mark, isTold ? region : { from: 0, to: 0 });
    return [finding(read, Math.min(mark.index, from), Math.max(mark.index + 1, to))];
  });
}

/** Whether the explanation stands right below a mark, or right above it. */
function isToldBelow(log: Log, index: number): boolean {
  const blank = log.lines.slice(index + 1, index + 4).findIndex((line) => line.trim() === "");
  return hasEvidence(log, { from: index + 1, to: index + 1 + (blank === -1 ? 3 : blank) });
}

function isToldAbove(log: Log, index: number): boolean {
  return index > 0 && hasEvidence(log, { from: index - 1, to: index });
}

const SAMPLE = 200;

/** Beyond what anyone can use, failures are only counted. */
const MOST_LOOKED_AT = 3000;

interface Region {
  readonly from: number;
  readonly to: number;
}

const LONGEST = 60;

function regionBelow({ lines }: Log, marks: readonly Mark[], at: number): Region {
  const { index = 0, form } = marks[at] ?? {};
  const from = index + 1;
  const indent = indentOf(lines[index]);
  const after = marks
    .slice(at + 1, at + 1 + LONGEST)
    .find((mark) => mark.form === form || indentOf(lines[mark.index]) <= indent);
  const next = Math.min(after?.index ?? lines.length, from + LONGEST, lines.length);
  let to = from;
  while (to < next && !isEnd(lines, to, from)) to += 1;
  return { from, to };
}

function indentOf(line: string | undefined): number {
  return line?.search(/\S/) ?? 0;
}

function regionAbove({ lines }: Log, marks: readonly Mark[], at: number): Region {
  const to = marks[at]?.index ?? 0;
  const from = Math.max((marks[at - 1]?.index ?? -1) + 1, to - LONGEST);
  return { from: Math.min(from, lines.length), to };
}

/** A blank line before something at the margin that is not part of an explanation. */
function isEnd(lines: readonly string[], index: number, from: number): boolean {
  if (
    /^\s*\d+ (?:failed|passed|skipped|failures?|tests?|specs?|examples?|scenarios?)\b/i.test(
      lines[index] ?? "",
    )
  )
    return true;
  if (index === from || (lines[index] ?? "").trim() !== "") return false;
  const next = lines.slice(index + 1, index + 3).find((line) => line.trim() !== "");
  return next === undefined || (/^\S/.test(next) && !EVIDENCE.test(next) && findPlace(next) === undefined);
}

const EVIDENCE =
  /\b(?:expected|actual|received|got|assert\w*|should|but was|exception|diff|mismatch|not equal|does(?: not|n't) match|timed? ?out|timeout|signal|segmentation)\b|\w(?:Error|Exception)\b|^\s*(?:[-+]\s?\S|Error|error)|[!=]= |panicked|\*\*error/i;

function hasEvidence({ lines }: Log, { from, to }: Region): boolean {
  for (let index = from; index < to; index += 1) {
    const line = lines[index] ?? "";
    if (EVIDENCE.test(line) || frameOf(line) !== undefined || findPlace(line) !== undefined) return true;
  }
  return false;
}

/** Names on the line below, with their place: `1) Failure:`, then `CartTest#test_add [cart_test.rb:8]:`. */
const KIND_ONLY = /^(?:Failure|Error|Failed|FAIL|ERROR):?$/;
const NAME_WITH_PLACE = /^(?<test>\S.*?)(?: \[(?<file>[^\s:\]]+):(?<line>\d+)\])?:?$/;

function describe(log: Log, { test = "", index }: Mark, { from, to }: Region): Caught {
  const said = log.lines.slice(from, to).map(uncommented);
  const isBelow = from > index;
  if (isBelow && KIND_ONLY.test(test)) return named(said);
  const caught = bodyOf(said, findPlace(log.lines[index] ?? ""));
  return {
    ...caught,
    test: nameOf(METHOD.test(log.lines[index] ?? "") ? nameAbove(log.lines, index) : test),
  };
}

/** JUnit's console shows the name of a test above its method: `JUnit Jupiter:CartTest:adds up`. */
const METHOD = /^\s*MethodSource \[/;

function nameAbove(lines: readonly string[], index: number): string {
  return (lines[index - 1] ?? "").trim().replace(/^JUnit \w+:/, "");
}

function named([name = "", ...body]: readonly string[]): Caught {
  const { test, file, line } = NAME_WITH_PLACE.exec(name.trim())?.groups ?? {};
  const caught = bodyOf(body, undefined);
  return file === undefined ? { ...caught, test } : { ...caught, file, line, test };
}

/**
 * The place of a frame in the project, or of the first line that shows one; the one beside the name where that is in another file, for
 * then the frame is only the cause.
 */
function bodyOf(said: readonly string[], heading: FoundPlace | undefined): Caught {
  const body = readFailureBody(said.filter((line) => !isMerelyCode(line)));
  const shown = said.map(findPlace).find((one) => one !== undefined && !isForeignFile(one.file));
  const told = body.line === undefined ? (shown ?? heading) : body;
  const message = messageOf(said, body.message);
  const isElsewhere =
    heading !== undefined && told?.file !== undefined && !isSameFile(heading.file, told.file);
  const place = isElsewhere ? heading : told;
  const cause = isElsewhere ? ` (at ${told.file?.replace(/^file:\/\//, "")}:${told.line})` : "";
  return {
    ...body,
    file: place?.file,
    line: place?.line,
    column: place?.column,
    message: `${message ?? ""}${cause}`,
  };
}

function messageOf(said: readonly string[], fallback: string | undefined): string | undefined {
  const told = said.filter(
    (line) => frameOf(line) === undefined && !isMerelyCode(line) && /[A-Za-z]{2}/.test(line),
  );
  const plain = told
    .map((line) => line.trim())
    .filter((line) => !/^(?:Message|Stack|Backtrace|FAILED|output):?$/.test(line));
  return plain.find((line) => EVIDENCE.test(line)) ?? plain[0] ?? fallback;
}

/** `12 | code` of a code frame. */
function isMerelyCode(line: string): boolean {
  return /^\s*>?\s*\d+ [|│] |^\s*\^+\s*$/.test(line);
}

function uncommented(line: string): string {
  return line.replace(/^(\s*)# /, "$1");
}

/** Without the place some runners put behind a name, quotes and times. */
function nameOf(test: string): string {
  return test
    .replace(/ # \S+:\d+$| \(\d+(?:\.\d+)? ?m?s\)$|\s*[─━═-]{3,}$/, "")
    .replace(/^\S+:\d+(?::\d+)? [›>] /, "")
    .replace(/^(?:Scenario|Test|test): /, "")
    .replace(/"([^"]*)"$/, "$1")
    .replace(/^'(.*)'$/, "$1")
    .trim();
}
