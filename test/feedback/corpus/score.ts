import type { Problem } from "../../../src/feedback/problem.ts";
import type { Failure, Recording } from "./read-corpus.ts";

/** With more failures than this, the first ones must be named, and how many there are. */
const FIRST = 60;

export interface Score {
  readonly named: number;
  readonly of: number;
  readonly missed: readonly Failure[];
}

/** How many of the failures a digest names on one line: file and line together, the test on the same line. */
export function scoreDigest(text: string, { failures }: Recording): Score {
  const lines = text.split("\n");
  return score(text, failures, (failure) => lines.some((line) => namesOnOneLine(line, failure)));
}

/** How many a text names at all: the line's number may stand anywhere below the file's name, the test anywhere. */
export function scoreExcerpt(text: string, { failures }: Recording): Score {
  const lines = text.split("\n");
  return score(
    text,
    failures,
    (failure) => namesSomewhere(text, failure) || lines.some((line) => namesOnOneLine(line, failure)),
  );
}

/** Whether nothing that really failed has the place, the test or the words of a claim. Warnings count as claims of warnings. */
export function isInvented(problem: Problem, { failures, isComplete, text }: Recording): boolean {
  if (failures.some((failure) => explains(failure, problem))) return false;
  if (failures.length === 0 || isComplete) return true;
  return !isWarningOfTheTool(problem, text);
}

function explains({ file, line, test, message }: Failure, problem: Problem): boolean {
  const said = [problem.message, problem.excerpt, problem.test].join("\n");
  if (test !== undefined && said.includes(test)) return true;
  if (message !== undefined && said.includes(message)) return true;
  if (file === undefined || problem.file === undefined) return file !== undefined && said.includes(file);
  const isSameFile =
    problem.file === file || problem.file.endsWith(`/${file}`) || file.endsWith(`/${problem.file}`);
  return (
    isSameFile &&
    (line === undefined ||
      problem.line === undefined ||
      near(line, problem.line) ||
      said.includes(`:${line}`))
  );
}

/** A statement may begin a line or two above the mark of its bug. */
function near(one: number, other: number): boolean {
  return Math.abs(one - other) <= 2;
}

/** The planted bugs are errors; what the tool itself calls a warning counts neither as found nor as invented. */
function isWarningOfTheTool({ severity, message }: Problem, text: string): boolean {
  return severity === "warning" && /warn|note|info|style|hint|convention/i.test(lineWith(text, message));
}

function lineWith(text: string, message: string): string {
  const part = message.slice(0, 30);
  const at = text.indexOf(part);
  return at === -1 ? "" : text.slice(Math.max(0, at - 200), at + 200);
}

function score(text: string, failures: readonly Failure[], isNamed: (failure: Failure) => boolean): Score {
  const expected = failures.slice(0, FIRST);
  const missed = expected.filter((failure) => !isNamed(failure));
  if (failures.length <= FIRST)
    return { named: expected.length - missed.length, of: expected.length, missed };
  const hasTotal = new RegExp(String.raw`(?<!\d)${failures.length}(?!\d)`).test(text);
  const total = hasTotal ? [] : [{ message: `${failures.length} in total` }];
  return {
    named: expected.length - missed.length + (hasTotal ? 1 : 0),
    of: FIRST + 1,
    missed: [...missed, ...total],
  };
}

/**
 * How many of the failures have their own message, or the values they compared, beside their name: in the part of the text that begins
 * at the margin and goes on indented, or within a few lines below the name.
 */
export function scoreMessages(text: string, { failures, messages }: Recording): Omit<Score, "missed"> {
  const lines = text.split("\n");
  const starts = lines.flatMap((line, index) => (/^\S/.test(line) ? [index] : []));
  const blocks = starts.map((start, order) => blockOf(lines, start, starts[order + 1] ?? lines.length));
  const labelled = failures.flatMap((failure, index) => {
    const words = (messages[index] ?? []).map(squeezed);
    return words.length === 0 ? [] : [{ failure, words }];
  });
  const isSaid = ({ failure, words }: (typeof labelled)[number]): boolean =>
    blocks.some(({ name, said }) => namesIt(name, failure) && words.some((word) => said.includes(word)));
  return { named: labelled.filter(isSaid).length, of: labelled.length };
}

/** What may name a failure, and what may say its message: a few lines more where nothing is indented, as in a log. */
function blockOf(lines: readonly string[], start: number, end: number) {
  const name = lines.slice(start, end).join("\n");
  const said = squeezed(lines.slice(start, Math.max(end, start + BESIDE)).join("\n"));
  return { name, said };
}

const BESIDE = 4;

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function namesIt(text: string, { file, line, test }: Failure): boolean {
  if (test !== undefined) return text.includes(test);
  return file === undefined || (text.includes(file) && (line === undefined || text.includes(String(line))));
}

function namesOnOneLine(line: string, { file, line: number, test, message }: Failure): boolean {
  return (
    (file === undefined || hasPlace(line, file, number)) &&
    (test === undefined || line.includes(test)) &&
    (message === undefined || line.includes(message))
  );
}

/** `file:12`, or `12` among the further lines after the file's name: `also file:3, 9, 12`. */
function hasPlace(line: string, file: string, number: number | undefined): boolean {
  const name = String.raw`(?<![\w-])${escaped(file)}`;
  if (number === undefined) return new RegExp(String.raw`${name}(?![\w/])`).test(line);
  return new RegExp(String.raw`${name}:(?:\d+, )*${number}(?!\d)`).test(line);
}

function namesSomewhere(text: string, { file, line, test, message }: Failure): boolean {
  const words = [test, message].filter((word) => word !== undefined);
  if (!words.every((word) => text.includes(word))) return false;
  if (file === undefined) return true;
  if (line === undefined) return text.includes(file);
  const number = new RegExp(String.raw`(?<![\w.])${line}(?![\w.])`);
  return positions(text, file).some((at) =>
    number.test(text.slice(at + file.length, at + file.length + NEAR)),
  );
}

const NEAR = 2000;

function positions(text: string, word: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) found.push(at);
  return found;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
