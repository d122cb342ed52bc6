import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import { frameOf, spotOf } from "./frames.ts";
import type { Finding, Parser } from "./parser.ts";

/** An uncaught Python exception, or a file Python cannot read. */
export const traceback: Parser = {
  name: "python",
  kind: "build",
  marks: ["Traceback (", 'File "'],
  parse,
};

const START = /^\s*(?:Traceback \(most recent call last\):|File ".+", line \d+)/;
const EXCEPTION = /^\s*(?<message>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?::.*)?)$/;
const LONGEST = 400;

function parse({ lines }: Log): readonly Finding[] {
  const findings: Finding[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (!START.test(line)) continue;
    const indent = line.search(/\S/);
    const end = endOfTrace(lines, index + 1, line.trim().startsWith("File") ? indent - 1 : indent);
    const found = describe(lines, index, end);
    if (found !== undefined) findings.push(found);
    index = end;
  }
  return findings;
}

/** The exception stands at the margin of its traceback. */
function endOfTrace(lines: readonly string[], start: number, indent: number): number {
  let end = start;
  while (end < lines.length && end - start < LONGEST && isDeeper(lines[end] ?? "", indent)) end += 1;
  return end;
}

function isDeeper(line: string, indent: number): boolean {
  return line.trim() !== "" && line.search(/\S/) > Math.max(indent, 0);
}

function describe(lines: readonly string[], from: number, end: number): Finding | undefined {
  const message = EXCEPTION.exec(lines[end] ?? "")?.groups?.["message"];
  if (message === undefined) return undefined;
  const body = lines.slice(from, end);
  const frames = body.flatMap((line) => frameOf(line) ?? []).filter(({ isForeign }) => !isForeign);
  const place = frames.at(-1);
  const callers = frames.slice(-4, -1).map((frame) => `called from ${spotOf(frame)}`);
  const source =
    body
      .at(-1)
      ?.trim()
      .replace(/^[~^\s]+$/, "") ||
    body.at(-2)?.trim() ||
    "";
  return finding(() => ({ ...place, message, excerpt: [`> ${source}`, ...callers] }), from, end + 1);
}
