import { isNoise, isSource } from "./text/noise.ts";
import { TRAIT } from "./text/line-traits.ts";
import type { Lines } from "./text/lines.ts";
import { cutText } from "./text/cut-text.ts";
import { lastName } from "./find-problems.ts";
import type { Problem } from "./problem.ts";

const LONGEST_SHOWN = 400;
const BEFORE = 2;
const AFTER = 6;
const END = 12;

type IsRead = (line: number) => boolean;

export function informativeWindows(lines: Lines, budgetChars: number): string {
  return renderWorthy(lines, linesByWorth(lines), budgetChars);
}

interface UnreadLog {
  readonly lines: Lines;
  readonly isRead: IsRead;
  readonly listed: readonly Problem[];
}

/** The parts around trouble that no parser understood and no listed problem explains: another tool may have failed too. */
export function unreadTrouble(log: UnreadLog, budgetChars: number): string {
  const fresh = unreadTroubleLines(log);
  return fresh.length === 0
    ? ""
    : renderWorthy(log.lines, aroundEach(log.lines, fresh, log.isRead), budgetChars);
}

/** The lines of such parts. */
export function linesAroundTrouble(log: UnreadLog): ReadonlySet<number> {
  return new Set(aroundEach(log.lines, unreadTroubleLines(log), log.isRead));
}

function unreadTroubleLines({ lines, isRead, listed }: UnreadLog): readonly number[] {
  const told = listed.flatMap(({ file, test, message }) => [
    file,
    test === undefined ? undefined : lastName(test),
    message.slice(0, 30),
  ]);
  const words = [...new Set(told)].filter((word) => word !== undefined && word.length > 3);
  const fresh: number[] = [];
  let looked = 0;
  for (let index = 0; index < lines.length && looked < MOST_LOOKED_AT; index += 1) {
    if (isRead(index) || !isStrongAt(lines, index)) continue;
    looked += 1;
    const line = lines.at(index);
    if (!isNoise(line) && !words.some((word) => line.includes(word ?? ""))) fresh.push(index);
  }
  return fresh;
}

const LONGEST_LOOKED_AT = 1000;
const MOST_LOOKED_AT = 400;

export function unreadFailures(lines: Lines, isRead: IsRead): readonly string[] {
  const found: string[] = [];
  for (let index = 0; index < lines.length; index += 1)
    if (!isRead(index) && (isStrongAt(lines, index) || namesLimit(lines.at(index))))
      found.push(lines.at(index));
  return found;
}

/** Whether a line tells of a number on the wrong side of a limit: another number is another failure. */
export function namesLimit(line: string): boolean {
  if (line.length > LONGEST_SHOWN || !/\d/.test(line) || FINE.test(line)) return false;
  return (LIMIT.test(line) && MISSED.test(line)) || BEYOND.test(line);
}

const LIMIT =
  /\b(?:threshold|minimum|maximum|max|min|limit|budget|required|allowed|expected|coverage|fail[-_ ]?under)\b/i;
const MISSED =
  /\b(?:(?:not|n't) (?:met|meet|reached)|below|under|(?:less|lower|fewer|more|greater|higher|larger|over) than|exceed(?:s|ed|ing)?|too (?:many|large|big|low|high|few)|violated)\b/i;
const BEYOND = /\d ?(?:%|[kKMG]i?B|bytes)? ?[<>]=? ?\d[\d.,]* ?(?:%|[kKMG]i?B|bytes)/;

function* aroundEach(lines: Lines, chosen: readonly number[], isRead: IsRead): Generator<number> {
  yield* chosen;
  for (const index of chosen) for (const near of windowAround(lines, index)) if (!isRead(near)) yield near;
}

/** A failure said as such: by its severity, by its mark, or with its place. */
function isStrongAt(lines: Lines, index: number): boolean {
  const maySay = lines.may(index, TRAIT.error | TRAIT.fail | TRAIT.failure);
  const mayPlace = lines.may(index, TRAIT.named) && lines.may(index, TRAIT.number | TRAIT.spacedNumber);
  if (!maySay && !mayPlace) return false;
  const line = lines.printedAt(index);
  if (line.length > LONGEST_LOOKED_AT) return false;
  const isStrong = (maySay && STRONG.test(line)) || (mayPlace && PLACE.test(line) && TROUBLE.test(line));
  return isStrong && !FINE.test(line) && !CONSEQUENCE.test(line);
}

const STRONG =
  /^[\s\d#*>|-]*(?:\[? ?(?:fatal|error|panic|FAIL|FAILED|ERROR|FATAL|Error|Failure)\]?\b[: ]|not ok |[✖✗✘×❌] |(?:Uncaught )?[A-Z]\w*(?:Error|Exception): |\d+\) \S)|\*failed\*|\.\.\. ?(?:FAILED|FAIL|ERROR)\b|\b(?:FAILED|FAILURE)\b|\b(?:Segmentation fault|core dumped|[Oo]ut of memory|OutOfMemoryError|signal: \w+|timed out)\b|^Killed$|\bat \S+\.\w+ line \d+\.$| FAIL +\d/;
const PLACE = /[\w-]\.[A-Za-z]\w{0,9}(?::|\(|\s?\[|, line |" line | line | @ )\d/;

/** A caller's report that something failed. */
const CONSEQUENCE =
  /\b(?:exit(?:ed)?(?: with)?(?: status| code)|command failed|could not compile|test failed, to rerun|lifecycle script|Error \d+$|aborting due to|error occurred when checking)/i;

function soundsLikeTrouble(line: string): boolean {
  return TROUBLE.test(line) && !FINE.test(line);
}

const TROUBLE =
  /\b(?:error|fatal|fail(?:ed|s|ure|ing)?|exception|panic(?:ked)?|traceback|cannot|can't|could ?n[o']t|unable to|not found|no such|undefined|unexpected|unresolved|invalid|illegal|assert\w*|expected|denied|refused|abort(?:ed|ing)?|segmentation fault|core dumped|killed|timed? ?out|missing|conflict)\b|(?:Error|Exception)\b|ERR!|[✗✖×✘❌]|\bFAIL/i;

/** No trouble, or a test that passed, whatever its name. */
const FINE =
  /\b(?:0|no|zero) (?:errors?|failed|failures?|failing|problems?|warnings?)\b|\b0 fail|^\s*(?:✓|✔|√|ok \d|PASS(?:ED)?\b|\[ *(?:OK|PASSED) *\]|\(pass\)|--- PASS)|\b(?:PASSED|[Pp]assed|ok)$/i;

const GAP_COST = 8;

function renderWorthy(lines: Lines, worthy: Iterable<number>, budgetChars: number): string {
  const shown = new Set<number>();
  let left = budgetChars;
  for (const index of worthy) {
    if (shown.has(index)) continue;
    const cost =
      shownLine(lines.at(index)).length + (shown.has(index - 1) || shown.has(index + 1) ? 1 : GAP_COST);
    if (cost > left) {
      if (left < GAP_COST * 4) break;
      continue;
    }
    shown.add(index);
    left -= cost;
  }
  return renderLines(lines, shown);
}

function* linesByWorth(lines: Lines): Generator<number> {
  const trouble: number[] = [];
  for (let index = 0; index < lines.length; index += 1)
    if (soundsLikeTrouble(lines.at(index))) trouble.push(index);
  const strong = trouble.filter((index) => isStrongAt(lines, index));
  let lastLine = lines.length - 1;
  while (lastLine >= 0 && lines.isBlank(lastLine)) lastLine -= 1;
  yield* windowAround(lines, strong[0] ?? trouble[0]);
  yield* windowAround(lines, trouble[0]);
  yield* windowAround(lines, trouble.at(-1));
  yield* linesBetween(lines, lastLine - END + 1, lastLine);
  for (const index of strong) yield index;
  for (const index of strong) yield* windowAround(lines, index);
  for (const index of trouble) yield index;
  for (const index of trouble) yield* windowAround(lines, index);
  for (let index = lastLine; index >= 0; index -= 1) if (!lines.isBlank(index)) yield index;
}

function* windowAround(lines: Lines, index: number | undefined): Generator<number> {
  if (index === undefined) return;
  yield index;
  yield* linesBetween(lines, index - BEFORE, index + AFTER);
}

function* linesBetween(lines: Lines, from: number, to: number): Generator<number> {
  for (let index = Math.max(0, from); index <= Math.min(to, lines.length - 1); index += 1) {
    if (!lines.isBlank(index)) yield index;
  }
}

function renderLines(lines: Lines, shown: ReadonlySet<number>): string {
  const rendered: string[] = [];
  let previous = -1;
  for (const index of [...shown].toSorted((one, other) => one - other)) {
    if (hasTextBetween(lines, previous + 1, index)) rendered.push("[…]");
    rendered.push(shownLine(lines.at(index)));
    previous = index;
  }
  if (shown.size > 0 && hasTextBetween(lines, previous + 1, lines.length)) rendered.push("[…]");
  return rendered.join("\n");
}

function hasTextBetween(lines: Lines, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if (!lines.isBlank(index)) return true;
  return false;
}

function shownLine(line: string): string {
  return cutText(line.trimEnd(), LONGEST_SHOWN);
}

interface Said {
  readonly from: number;
  readonly to: number;
  readonly shown: string;
}

/** The lines of a log of which the list of problems does not say everything, or only the needed ones, as one text; blank lines only between them. */
export function unsaidLines(
  lines: Lines,
  said: readonly Said[],
  { projectRoot, isNeeded }: { projectRoot: string; isNeeded: ((index: number) => boolean) | undefined },
): string {
  const isSaid = new Uint8Array(lines.length);
  for (const { from, to, shown } of said)
    for (let index = from; index < to; index += 1) {
      const line = lines.at(index);
      if (isSource(line) || isSaidBy(shown, line.replaceAll(`${projectRoot}/`, ""))) isSaid[index] = 1;
    }
  const isRepeated = (line: string): boolean =>
    /\p{L}{3}/u.test(line) && said.some(({ shown }) => isSaidBy(shown, line));
  const kept: string[] = [];
  lines.slice(0).forEach((line, index) => {
    if (isSaid[index] === 1 || isNeeded?.(index) === false) return;
    const isBlank = line.trim() === "";
    if (isBlank ? (kept.at(-1) ?? "") === "" : isNoise(line) || (isNeeded === undefined && isRepeated(line)))
      return;
    kept.push(line.trimEnd());
  });
  return kept.join("\n").trimEnd();
}

/** Whether every word and number of a line is shown. */
function isSaidBy(shown: string, line: string): boolean {
  return (line.replace(TIME_TAKEN, "").match(WORDS) ?? []).every(
    (word) => EMPTY_WORDS.test(word) || shown.includes(word),
  );
}

const TIME_TAKEN = / \(?\d+(?:\.\d+)? ?m?s\)?$/;
const WORDS = /[\p{L}\p{N}_$]+/gu;

/** What a place or a severity is introduced with; the list says it in its own way. */
const EMPTY_WORDS =
  /^(?:error|errors|warning|warn|failed|failure|fail|at|in|line|col|column|file|characters|test|E|W|C|F|R|I|Error|Warning|ERROR|WARNING|FAIL|FAILED|File|Failure)$/;
