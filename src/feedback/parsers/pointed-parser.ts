import type { Lines } from "../text/lines.ts";
import type { Log } from "../log.ts";
import { isFileName } from "../text/placed-text.ts";
import { readVerdict } from "../read-verdict.ts";
import { type Caught, finding } from "./compose.ts";
import type { Finding, FindingKind, Parser } from "./parser.ts";
import { headings } from "./sections.ts";

/** A tool that prints the message first and points to the place below: `--> file:line:column`, `╭─[file:line:column]`. */
export interface PointingTool {
  readonly name: string;
  readonly kind: FindingKind;
  /** How it points. */
  readonly arrows: readonly string[];
  /** The shape of the line with the message. */
  readonly message: RegExp;
}

/** The parser of such a tool. */
export function pointedParser({ name, kind, arrows, message }: PointingTool): Parser {
  return { name, kind, parse };

  function parse({ lines, beginning }: Log): readonly Finding[] {
    return headings(lines, beginning(...arrows), POINTER).flatMap(({ heading, from: pointer }) => {
      const from = messageAbove(lines, pointer, message);
      if (from === undefined || !isFileName(heading["file"] ?? "")) return [];
      const to = endOfFrame(lines, pointer + 1);
      return [finding(() => describe(lines, from, pointer), from, to)];
    });
  }
}

function describe(lines: Lines, from: number, pointer: number): Caught {
  const message = lines.at(from).trim();
  const said = readVerdict(message.replace(/^[×x✖⚠!] +/, ""));
  const severity = said.severity ?? (message.startsWith("⚠") ? "warning" : "error");
  const excerpt = lines.slice(pointer + 1, endOfFrame(lines, pointer + 1));
  return { ...POINTER.exec(lines.at(pointer))?.groups, ...said, severity, excerpt };
}

const POINTER = /^\s*(?:-->|,-\[|╭─\[|┌─)\s*(?<file>[^\s\]][^\]]*?):(?<line>\d+):(?<column>\d+)\]?(?::.*)?$/;
const FARTHEST = 8;
const LONGEST_FRAME = 14;

function messageAbove(lines: Lines, index: number, message: RegExp): number | undefined {
  for (let above = index - 1; above >= Math.max(0, index - FARTHEST); above -= 1) {
    const line = lines.at(above);
    if (message.test(line)) return above;
    if (line.trim() === "" || POINTER.test(line)) return undefined;
  }
  return undefined;
}

function endOfFrame(lines: Lines, start: number): number {
  let end = start;
  while (end < lines.length && end - start < LONGEST_FRAME && lines.at(end).trim() !== "") end += 1;
  return end;
}
