import type { Failure, Recording } from "./read-corpus.ts";

/** With more failures than this, the first ones must be named, and how many there are. */
const FIRST = 60;

export interface Score {
  readonly named: number;
  readonly of: number;
  readonly missed: readonly Failure[];
}

/** How many of the failures a digest names: file and line together, the test on the same line. */
export function scoreDigest(text: string, { failures }: Recording): Score {
  const lines = text.split("\n");
  return score(text, failures, (failure) => lines.some((line) => namesOnOneLine(line, failure)));
}

/** The same for a piece of a raw log, judged kindly: the line's number may stand anywhere below the file's name. */
export function scoreExcerpt(text: string, { failures }: Recording): Score {
  return score(text, failures, (failure) => namesSomewhere(text, failure));
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
