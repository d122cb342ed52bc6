import type { CodeFrame } from "./page-data.ts";

const AROUND = 3;
const LONGEST_LINE = 300;

/** The line of a problem and the ones around it; none where the file has no such line. */
export function frameAround(lines: readonly string[], line: number): CodeFrame | undefined {
  if (!(line >= 1 && line <= lines.length)) return undefined;
  const first = Math.max(1, line - AROUND);
  const shown = lines.slice(first - 1, line + AROUND);
  return { first, lines: shown.map((one) => one.slice(0, LONGEST_LINE)) };
}

/** What the agent read, from the log a run writes for people: the part between the first empty line and the status. */
export function toldIn(consoleLog: string): string | undefined {
  const start = consoleLog.indexOf("\n\n");
  const end = consoleLog.lastIndexOf("\n\nStatus: ");
  return start === -1 || end <= start ? undefined : consoleLog.slice(start + 2, end);
}

export interface ComparedLine {
  readonly text: string;
  /** Compared with the attempt before. */
  readonly change: "same" | "new" | "gone";
}

/** How the agent's feedback differs from the attempt before: which lines are new, and which are gone. */
export function compareTold(before: string, now: string): readonly ComparedLine[] {
  const old = before.split("\n");
  const current = now.split("\n");
  if (old.length * current.length > MOST_CELLS)
    return current.map((text) => ({ text, change: old.includes(text) ? "same" : "new" }));
  return walk(old, current, commonLengths(old, current));
}

const MOST_CELLS = 4_000_000;

/** `lengths[i][j]`: how many lines two texts have in common, in order, from line i of one and j of the other on. */
function commonLengths(old: readonly string[], current: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(current.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = current.length - 1; j >= 0; j--) {
      const row = lengths[i] ?? new Uint16Array();
      const below = lengths[i + 1] ?? new Uint16Array();
      row[j] = old[i] === current[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  return lengths;
}

function walk(
  old: readonly string[],
  current: readonly string[],
  lengths: readonly Uint16Array[],
): readonly ComparedLine[] {
  const compared: ComparedLine[] = [];
  const common = (one: number, other: number): number => lengths[one]?.[other] ?? 0;
  let i = 0;
  let j = 0;
  while (i < old.length && j < current.length) {
    const isSame = old[i] === current[j];
    const isNew = !isSame && common(i, j + 1) > common(i + 1, j);
    if (isSame) compared.push({ text: current[j++] ?? "", change: "same" });
    else if (isNew) compared.push({ text: current[j++] ?? "", change: "new" });
    else compared.push({ text: old[i] ?? "", change: "gone" });
    if (!isNew) i++;
  }
  const gone = old.slice(i).map((text) => ({ text, change: "gone" as const }));
  const added = current.slice(j).map((text) => ({ text, change: "new" as const }));
  return [...compared, ...gone, ...added];
}
