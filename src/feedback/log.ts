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
