import type { Log } from "../log.ts";

const LONGEST_FRAME = 12;

/**
 * Where the lines end that belong to the message above `start`: marked source, indented explanation. Blank lines end them, except one
 * before marked source.
 */
export function endOfFrame({ lines, isPlaced }: Log, start: number): number {
  const first = lines[start]?.trim() === "" && isSource(lines[start + 1] ?? "") ? start + 1 : start;
  let end = first;
  while (end < lines.length && end - first < LONGEST_FRAME && belongs(lines[end] ?? "") && !isPlaced(end))
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
