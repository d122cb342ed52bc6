import { cutText } from "./cut-text.ts";

const LONGEST_SHOWN = 400;
const BEFORE = 2;
const AFTER = 6;
const END = 12;

/** The parts of a log that say most when no tool was recognised: the first error, the last error, the end; more errors while room is left. */
export function informativeWindows(
  lines: readonly string[],
  budgetChars: number,
  isRead: (line: number) => boolean = () => false,
): string {
  const shown = new Set<number>();
  let left = budgetChars;
  for (const index of linesByWorth(lines, isRead)) {
    const cost = shownLine(lines[index] ?? "").length + GAP_COST;
    if (shown.has(index) || cost > left) continue;
    shown.add(index);
    left -= cost;
  }
  return renderLines(lines, shown);
}

/** Whether a line says that something went wrong. */
function soundsLikeTrouble(line: string): boolean {
  return TROUBLE.test(line) && !FINE.test(line);
}

const TROUBLE =
  /\b(?:error|fatal|fail(?:ed|s|ure|ing)?|exception|panic(?:ked)?|traceback|cannot|can't|could ?n[o']t|unable to|not found|no such|undefined|unexpected|unresolved|invalid|illegal|assert\w*|expected|denied|refused|abort(?:ed|ing)?|segmentation fault|core dumped|killed|timed? ?out|missing|conflict)\b|(?:Error|Exception)\b|ERR!|[✗✖×✘❌]|\bFAIL/i;

const FINE = /\b(?:0|no|zero) (?:errors?|failed|failures?|failing|problems?|warnings?)\b|\b0 fail/i;

/** A gap marker and a line end, at worst one for each line shown. */
const GAP_COST = 8;

function* linesByWorth(lines: readonly string[], isRead: (line: number) => boolean): Generator<number> {
  const trouble = lines.flatMap((line, index) => (!isRead(index) && soundsLikeTrouble(line) ? [index] : []));
  const lastLine = lines.findLastIndex((line) => line.trim() !== "");
  yield* windowAround(lines, trouble[0]);
  yield* windowAround(lines, trouble.at(-1));
  yield* linesBetween(lines, lastLine - END + 1, lastLine);
  for (const index of trouble) yield index;
  for (const index of trouble) yield* windowAround(lines, index);
  yield* linesBetween(lines, 0, lastLine);
}

function* windowAround(lines: readonly string[], index: number | undefined): Generator<number> {
  if (index === undefined) return;
  yield index;
  yield* linesBetween(lines, index - BEFORE, index + AFTER);
}

function* linesBetween(lines: readonly string[], from: number, to: number): Generator<number> {
  for (let index = Math.max(0, from); index <= Math.min(to, lines.length - 1); index += 1) {
    if (lines[index]?.trim() !== "") yield index;
  }
}

function renderLines(lines: readonly string[], shown: ReadonlySet<number>): string {
  const rendered: string[] = [];
  let previous = -1;
  for (const index of [...shown].toSorted((one, other) => one - other)) {
    if (hasTextBetween(lines, previous + 1, index)) rendered.push("[…]");
    rendered.push(shownLine(lines[index] ?? ""));
    previous = index;
  }
  if (shown.size > 0 && hasTextBetween(lines, previous + 1, lines.length)) rendered.push("[…]");
  return rendered.join("\n");
}

function hasTextBetween(lines: readonly string[], from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if (lines[index]?.trim() !== "") return true;
  return false;
}

function shownLine(line: string): string {
  return cutText(line.trimEnd(), LONGEST_SHOWN);
}
