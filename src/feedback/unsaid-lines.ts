/** A listed problem: the lines of the log it was read from, and how it is shown. */
export interface Said {
  readonly from: number;
  readonly to: number;
  readonly shown: string;
}

/** The lines of a log of which the list of problems does not say everything, as one text; blank lines only between them. */
export function unsaidLines(lines: readonly string[], said: readonly Said[], projectRoot: string): string {
  const isSaid = new Uint8Array(lines.length);
  for (const { from, to, shown } of said)
    for (let index = from; index < to; index += 1)
      if (isSaidBy(shown, (lines[index] ?? "").replaceAll(`${projectRoot}/`, ""))) isSaid[index] = 1;
  const kept: string[] = [];
  lines.forEach((line, index) => {
    if (isSaid[index] === 1 || (line.trim() === "" && (kept.at(-1) ?? "") === "")) return;
    kept.push(line.trimEnd());
  });
  return kept.join("\n").trimEnd();
}

/** Whether every word and number of a line is shown. */
function isSaidBy(shown: string, line: string): boolean {
  return (line.match(WORDS) ?? []).every((word) => EMPTY_WORDS.test(word) || shown.includes(word));
}

const WORDS = /[\p{L}\p{N}_$]+/gu;

/** What a place or a severity is introduced with; the list says it in its own way. */
const EMPTY_WORDS =
  /^(?:error|errors|warning|warn|failed|failure|fail|at|in|line|col|column|file|characters|test|E|W|C|F|R|I|Error|Warning|ERROR|WARNING|FAIL|FAILED|File|Failure)$/;
