import type { Log } from "../log.ts";
import { type PlacedText, isFileName } from "../text/placed-text.ts";
import {
  type VerdictText,
  isRemark,
  readVerdict,
  isConsequence,
  type Caught,
  type Finding,
  type FindingKind,
  type Parser,
  finding,
} from "./parser.ts";
import type { Lines } from "../text/lines.ts";
import { headings } from "./sections.ts";

/** A tool that prints one placed line for each problem, as most compilers and linters do. */
export interface PlacedTool {
  readonly name: string;
  readonly kind: FindingKind;
  readonly says: (rest: string, placed: PlacedText) => boolean;
  /** Where the tool's own words need another reading. */
  readonly read?: (rest: string) => VerdictText;
  /** What a message ends with that the tool may wrap over several lines. */
  readonly wrapsUntil?: RegExp;
}

export function placedParser({ name, kind, says, read = readVerdict, wrapsUntil }: PlacedTool): Parser {
  return { name, kind, parse };

  /** One at a time: kept, a hundred thousand of them would cost more than to find them. */
  function* parse(log: Log, isRead: (line: number) => boolean): Generator<Finding> {
    for (let at = 0; at < log.placed.length; at += 1) {
      const placed = log.placed[at];
      if (placed === undefined || isRead(placed.index)) continue;
      const text = textOf(log, placed);
      if (text !== "" && says(text, placed)) yield findingAt(log, placed);
    }
  }

  function findingAt(log: Log, placed: PlacedText): Finding {
    const to = endOfFrame(log, endOfText(log, placed));
    return finding(() => describe(log, placed, to), placed.index, to);
  }

  function describe(log: Log, placed: PlacedText, to: number): Caught {
    const { word, file, line, column } = placed.place;
    const end = endOfText(log, placed);
    const more = log.lines.slice(placed.index + 1, end).map((one) => one.replace(/^(?=\[)/, " ").trimEnd());
    const text = [textOf(log, placed).trimEnd(), ...more].join(" ");
    const { severity = word, ...said } = read(text);
    return { file, line, column, ...said, severity, excerpt: log.lines.slice(end, to) };
  }

  function endOfText(log: Log, placed: PlacedText): number {
    const start = placed.index + 1;
    if (wrapsUntil === undefined || wrapsUntil.test(placed.rest)) return start;
    for (
      let at = start;
      at < start + MOST_WRAPPED && /^\S/.test(log.lines.at(at)) && !log.isPlaced(at);
      at += 1
    )
      if (wrapsUntil.test(log.lines.at(at))) return at + 1;
    return start;
  }
}

const MOST_WRAPPED = 4;

/** `ERROR in file:line:column` of bundlers has its message on the next line. */
function textOf({ lines }: Log, placed: PlacedText): string {
  const isBelow = placed.rest === "" && placed.place.word !== undefined;
  return isBelow ? lines.at(placed.index + 1).trim() : placed.rest;
}

/** `file:line:column: message` of tools without a parser: everything placed that is not a mere remark. */
export const generic: Parser = placedParser({
  name: "generic",
  kind: "lint",
  says: (rest) => !isRemark(rest) && !isConsequence(rest) && /[A-Za-z]{2}/.test(rest),
});

const LONGEST_FRAME = 12;

/**
 * Where the lines end that belong to the message above `start`: marked source, indented explanation. Blank lines end them, except one
 * before marked source.
 */
export function endOfFrame({ lines, isPlaced }: Log, start: number): number {
  const first = lines.at(start).trim() === "" && isSource(lines.at(start + 1)) ? start + 1 : start;
  let end = first;
  while (end < lines.length && end - first < LONGEST_FRAME && belongs(lines.at(end)) && !isPlaced(end))
    end += 1;
  return end === first ? start : end;
}

function belongs(line: string): boolean {
  return line.trim() !== "" && (/^(?:\s|[|│╷╵·])/.test(line) || isSource(line));
}

/** `12 | code`, `> 12 | code`, `12   code` of the TypeScript compiler, a row of markers. */
function isSource(line: string): boolean {
  return /^\s*>?\s*\d+\s*[|│]|^\d+\s{2,}\S|^\d+ \S|^\s*[~^]+\s*$/.test(line);
}

/** A tool that prints the message first and points to the place below: `--> file:line:column`, `╭─[file:line:column]`. */
export interface PointingTool {
  readonly name: string;
  readonly kind: FindingKind;
  readonly arrows: readonly string[];
  readonly message: RegExp;
}

export function pointedParser({ name, kind, arrows, message }: PointingTool): Parser {
  return { name, kind, parse };

  function parse({ lines, beginning }: Log): readonly Finding[] {
    return headings(lines, beginning(...arrows), POINTER).flatMap(({ heading, from: pointer }) => {
      const from = messageAbove(lines, pointer, message);
      if (from === undefined || !isFileName(heading["file"] ?? "")) return [];
      const to = endOfDrawing(lines, pointer + 1);
      return [finding(() => describePointed(lines, from, pointer), from, to)];
    });
  }
}

function describePointed(lines: Lines, from: number, pointer: number): Caught {
  const message = lines.at(from).trim();
  const said = readVerdict(message.replace(/^[×x✖⚠!] +/, ""));
  const severity = said.severity ?? (message.startsWith("⚠") ? "warning" : "error");
  const excerpt = lines.slice(pointer + 1, endOfDrawing(lines, pointer + 1));
  return { ...POINTER.exec(lines.at(pointer))?.groups, ...said, severity, excerpt };
}

const POINTER = /^\s*(?:-->|,-\[|╭─\[|┌─)\s*(?<file>[^\s\]][^\]]*?):(?<line>\d+):(?<column>\d+)\]?(?::.*)?$/;
const FARTHEST = 8;
const LONGEST_DRAWING = 14;

function messageAbove(lines: Lines, index: number, message: RegExp): number | undefined {
  for (let above = index - 1; above >= Math.max(0, index - FARTHEST); above -= 1) {
    const line = lines.at(above);
    if (message.test(line)) return above;
    if (line.trim() === "" || POINTER.test(line)) return undefined;
  }
  return undefined;
}

function endOfDrawing(lines: Lines, start: number): number {
  let end = start;
  while (end < lines.length && end - start < LONGEST_DRAWING && lines.at(end).trim() !== "") end += 1;
  return end;
}
