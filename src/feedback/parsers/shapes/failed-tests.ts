import type { Lines } from "../../text/lines.ts";
import type { Log } from "../../log.ts";
import { type FoundPlace, findPlace } from "../../text/placed-text.ts";
import { type Caught, type Finding, type Parser, finding } from "../parser.ts";
import { isSameFile, readFailureBody, frameOf, isForeignFile } from "../failure-body.ts";
import { isNoise } from "../../text/noise.ts";
import { findMarks, nameIn, needsEvidence } from "./test-marks.ts";

/**
 * Failed tests of runners without a parser, by their shape: a mark with a name, and what was said about it below, or above, up to the
 * next mark.
 */
export const failedTests: Parser = { name: "tests", kind: "test", parse };

function parse(log: Log, isRead: (line: number) => boolean): readonly Finding[] {
  const { formAt, failed } = findMarks(log, isRead);
  if (failed.length === 0 || log.counts().isAllPassed) return [];
  return new Array<Finding>().concat(
    ...failed.map(({ form, lines }) => readForm({ log, formAt, form }, lines)),
  );
}

interface MarksOfForm {
  readonly log: Log;
  readonly formAt: Uint8Array;
  readonly form: number;
}

function readForm(marks: MarksOfForm, own: readonly number[]): readonly Finding[] {
  const { log, form } = marks;
  const sample = own.slice(0, SAMPLE);
  const below = sample.filter((index) => isToldBelow(log, index)).length;
  const above = sample.filter((index) => isToldAbove(log, index)).length;
  const findings: Finding[] = [];
  own.forEach((index, order) => {
    if (order > MOST_LOOKED_AT) {
      findings.push(finding(() => ({ test: nameIn(log.lines.at(index), form) }), index));
      return;
    }
    const region = above > below ? regionAbove(marks, index) : regionBelow(marks, index);
    const isTold = hasEvidence(log, region);
    if (!isTold && needsEvidence(form)) return;
    const { from, to } = isTold ? region : { from: index, to: index };
    const read = () => describe(marks, index, isTold ? region : { from: 0, to: 0 });
    findings.push(finding(read, Math.min(index, from), Math.max(index + 1, to)));
  });
  return findings;
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

function regionBelow({ log: { lines }, formAt, form }: MarksOfForm, index: number): Region {
  const from = index + 1;
  const farthest = Math.min(from + LONGEST, lines.length);
  const indent = lines.indentOf(index);
  const isNext = (line: number): boolean =>
    formAt[line] === form || (formAt[line] !== 0 && lines.indentOf(line) <= indent);
  let to = from;
  while (to < farthest && !isNext(to) && !isEnd(lines, to, from)) to += 1;
  return { from, to };
}

function regionAbove({ formAt }: MarksOfForm, index: number): Region {
  let from = index;
  while (from > 0 && index - from < LONGEST && formAt[from - 1] === 0) from -= 1;
  return { from, to: index };
}

/** A blank line before something at the margin that is not part of an explanation. */
function isEnd(lines: Lines, index: number, from: number): boolean {
  if (
    /^\s*\d+ (?:failed|passed|skipped|failures?|tests?|specs?|examples?|scenarios?)\b|^# Looks like|^\S+\.t \.+/i.test(
      lines.at(index),
    )
  )
    return true;
  if (index === from || lines.at(index).trim() !== "") return false;
  const next = lines.slice(index + 1, index + 3).find((line) => line.trim() !== "");
  return next === undefined || (/^\S/.test(next) && !EVIDENCE.test(next) && findPlace(next) === undefined);
}

const EVIDENCE =
  /\b(?:expected|actual|received|got|assert\w*|should|but was|exception|diff|mismatch|not equal|does(?: not|n't) match|timed? ?out|timeout|signal|segmentation)\b|\w(?:Error|Exception)\b|^\s*(?:[-+]\s?\S|Error|error)|[!=]= |panicked|^\s*Undefined\. |\*\*error/i;

function hasEvidence({ lines }: Log, { from, to }: Region): boolean {
  for (let index = from; index < to; index += 1) {
    const line = lines.at(index);
    if (EVIDENCE.test(line) || frameOf(line) !== undefined || findPlace(line) !== undefined) return true;
  }
  return false;
}

/** Names on the line below, with their place: `1) Failure:`, then `CartTest#test_add [cart_test.rb:8]:`. */
const KIND_ONLY = /^(?:Failure|Error|Failed|FAIL|ERROR):?$/;
const NAME_WITH_PLACE = /^(?<test>\S.*?)(?: \[(?<file>[^\s:\]]+):(?<line>\d+)\])?:?$/;

function describe({ log, form }: MarksOfForm, index: number, { from, to }: Region): Caught {
  const test = nameIn(log.lines.at(index), form);
  const said = log.lines.slice(from, to).map(uncommented);
  const isBelow = from > index;
  if (isBelow && KIND_ONLY.test(test)) return named(said);
  const caught = bodyOf(said, findPlace(log.lines.at(index)));
  return {
    ...caught,
    test: nameOf(METHOD.test(log.lines.at(index)) ? nameAbove(log.lines, index) : test),
  };
}

/** JUnit's console shows the name of a test above its method: `JUnit Jupiter:CartTest:adds up`. */
const METHOD = /^\s*MethodSource \[/;

function nameAbove(lines: Lines, index: number): string {
  return lines
    .at(index - 1)
    .trim()
    .replace(/^JUnit \w+:/, "");
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
  const body = readFailureBody(said.filter((line) => line.trim() === "" || !isNoise(line)));
  const told = body.line === undefined ? (placeIn(said) ?? heading) : body;
  const message = messageOf(said, body.message);
  const isElsewhere =
    heading !== undefined && told?.file !== undefined && !isSameFile(heading.file, told.file);
  const place = isElsewhere ? heading : told;
  const cause = isElsewhere ? ` (at ${told.file?.replace(/^file:\/\//, "")}:${told.line})` : "";
  const excerpt = [body.excerpt ?? []]
    .flat()
    .filter((line) => message === undefined || line.trim() !== message);
  return {
    ...body,
    excerpt,
    file: place?.file,
    line: place?.line,
    column: place?.column,
    message: `${message ?? ""}${cause}`,
  };
}

function placeIn(said: readonly string[]): FoundPlace | undefined {
  for (const line of said) {
    const found = findPlace(line);
    if (found !== undefined && !isForeignFile(found.file)) return found;
  }
  return undefined;
}

/** The first line that explains the failure, or the first that says anything. */
function messageOf(said: readonly string[], fallback: string | undefined): string | undefined {
  const explained = said.find((line) => EVIDENCE.test(line.trim()) && isMessage(line));
  return (explained ?? said.find(isMessage))?.trim() ?? fallback;
}

function isMessage(line: string): boolean {
  return (
    /[A-Za-z]{2}/.test(line) &&
    !/^\s*(?:Message|Stack|Backtrace|FAILED|output):?\s*$/.test(line) &&
    !isMerelyCode(line) &&
    frameOf(line) === undefined
  );
}

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
