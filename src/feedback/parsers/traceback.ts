import type { Log } from "../log.ts";
import { type Caught, finding } from "./compose.ts";
import { frameOf, spotOf } from "./frames.ts";
import type { Finding, Parser } from "./parser.ts";
import { headings } from "./sections.ts";

/** An uncaught Python exception, or a file Python cannot read. */
export const traceback: Parser = { name: "python", kind: "build", parse };

const START = /^\s*(?:Traceback \(most recent call last\):|File ".+", line \d+)/;
const EXCEPTION = /^\s*(?<message>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?::.*)?)$/;
const LONGEST = 400;

function parse({ lines, beginning }: Log): readonly Finding[] {
  const findings: Finding[] = [];
  let next = 0;
  for (const { from } of headings(lines, beginning("Traceback (", 'File "'), START)) {
    if (from < next) continue;
    const line = lines[from] ?? "";
    const indent = line.search(/\S/);
    const end = endOfTrace(lines, from + 1, line.startsWith("File", indent) ? indent - 1 : indent);
    const message = EXCEPTION.exec(lines[end] ?? "")?.groups?.["message"];
    if (message !== undefined)
      findings.push(finding(() => ({ ...describe(lines.slice(from, end)), message }), from, end + 1));
    next = end + 1;
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

function describe(body: readonly string[]): Caught {
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
  return { ...place, excerpt: [`> ${source}`, ...callers] };
}
