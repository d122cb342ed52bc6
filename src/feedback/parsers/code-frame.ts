import type { Log } from "../log.ts";

const LONGEST_FRAME = 12;

/** The lines below a message that belong to it: marked source, indented explanation. Blank lines end it, except one before marked source. */
export function frameAfter(
  log: Log,
  start: number,
): { readonly lines: readonly string[]; readonly to: number } {
  const { lines, placed } = log;
  const first = lines[start]?.trim() === "" && isSource(lines[start + 1] ?? "") ? start + 1 : start;
  let end = first;
  while (end < lines.length && end - first < LONGEST_FRAME && belongs(lines[end] ?? "") && !placed.has(end))
    end += 1;
  return end === first ? { lines: [], to: start } : { lines: lines.slice(first, end), to: end };
}

function belongs(line: string): boolean {
  return line.trim() !== "" && (/^(?:\s|[|│╷╵·])/.test(line) || isSource(line));
}

/** `12 | code`, `> 12 | code`, `12   code` of the TypeScript compiler, a row of markers. */
function isSource(line: string): boolean {
  return /^\s*>?\s*\d+\s*[|│]|^\d+\s{2,}\S|^\d+ \S|^\s*[~^]+\s*$/.test(line);
}
