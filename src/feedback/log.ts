import { cleanLines } from "./text/clean-text.ts";
import {
  type FindBeginnings,
  indexBeginnings,
  untangle,
  type Task,
  announcedTasks,
} from "./text/untangle.ts";
import { type IsThere, type PlacedText, placedText, SpacedPlaces } from "./text/placed-text.ts";

/** What a gate printed, as a person would have seen it; read once for all parsers. */
export interface Log {
  readonly lines: readonly string[];
  /** The lines that begin, after blanks, with one of these words, in order: what a parser looks at instead of every line. */
  readonly beginning: FindBeginnings;
  /** The lines that begin, after blanks, with a digit. */
  readonly numbered: readonly number[];
  /** The lines that begin with a place in a file. */
  readonly placed: readonly PlacedText[];
  readonly isPlaced: (line: number) => boolean;
  /** Tells a file's name with spaces from a sentence. */
  readonly isThere: IsThere;
  /** The tasks of a runner of several programs, in order. */
  readonly tasks: readonly Task[];
}

/** No tool puts a place further right; a minified file or a JSON blob on one line must not cost time. */
const LONGEST_LINE = 4000;

/** Cleans and splits a raw log. */
export function readLog(raw: string, isThere: IsThere = () => false): Log {
  const { lines, tasks: labelled } = untangle(unwrapGoJson(cleanLines(raw).map(bounded)));
  const placed: PlacedText[] = [];
  const isPlaced = new Uint8Array(lines.length);
  const spaced = new SpacedPlaces(isThere);
  lines.forEach((line, index) => {
    const found = placedText(line, index, spaced);
    if (found === undefined) return;
    placed.push(found);
    isPlaced[index] = 1;
  });
  const beginning = indexBeginnings(lines);
  const tasks = [...labelled, ...announcedTasks(lines, beginning)].toSorted(
    (one, other) => one.from - other.from,
  );
  const numbered = beginning(..."0123456789".split(""));
  return { lines, beginning, numbered, placed, isPlaced: (line) => isPlaced[line] === 1, isThere, tasks };
}

function bounded(line: string): string {
  return line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line;
}

/** `go test -json` wraps every line of output; the lines come back as `go test -v` prints them, package by package. */
function unwrapGoJson(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => line.startsWith('{"') && line.includes('"Action":"output"'))) return lines;
  const unwrapped: string[] = [];
  const packages = new Map<string, string[]>();
  for (const line of lines) {
    if (!line.startsWith("{") || !EVENT.test(line)) {
      unwrapped.push(line);
      continue;
    }
    const name = PACKAGE.exec(line)?.[1] ?? "";
    const output = packages.get(name) ?? [];
    packages.set(name, output);
    output.push(outputOf(line));
  }
  return unwrapped.concat(...[...packages.values()].map((output) => output.join("").split("\n")));
}

const EVENT = /^\{.*"Action":"\w+(?:-\w+)?"/;
const PACKAGE = /"(?:Package|ImportPath)":"([^"]*)"/;

/** Only what JSON allows between quotes, so that reading it cannot fail. */
const OUTPUT = /"Output":("(?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")/;

function outputOf(line: string): string {
  const literal = OUTPUT.exec(line)?.[1];
  return literal === undefined ? "" : String(JSON.parse(literal));
}
