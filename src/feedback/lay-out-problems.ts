import { namesNothing, shownValues } from "./compared-values.ts";
import { isSource } from "./text/noise.ts";
import { problemBlock, problemLine, problemPlace, kindOf, type Problem } from "./problem.ts";

export interface Listed {
  readonly problem: Problem;
  readonly known: boolean;
  readonly position: number;
}

/** The list, and where every problem has its own part of it, those parts. */
export interface LaidOut {
  readonly text: string;
  readonly blocks?: readonly string[];
}

/**
 * Every problem as fully as the budget allows, in rounds: its name and place, then its message, then what helps to understand it, first
 * for the first ones of each kind. When even the names are too much, the first ones as lines, the next as bare places, and a count of
 * the rest.
 */
export function layOutProblems(listed: readonly Listed[], budgetChars: number): LaidOut {
  const groups = foldAlike(listed);
  const names = allWithin(groups, budgetChars, (group) => groupText(group, NAMED));
  if (names === undefined) return { text: linesThenPlaces(listed, budgetChars) };
  const repeats = repeatsOfKind(groups.map(([first]) => first));
  const order = groups.map((_, index) => index);
  const inTurn = [
    ...order.filter((index) => !repeats.has(groups[index]?.[0])),
    ...order.filter((index) => repeats.has(groups[index]?.[0])),
  ];
  const texts = [...names];
  let left = budgetChars - texts.join("\n").length;
  for (const round of ROUNDS)
    for (const index of inTurn) {
      const group = groups[index];
      if (group === undefined) continue;
      const fuller = groupText(group, round);
      const cost = fuller.length - (texts[index]?.length ?? 0);
      if (cost > left) continue;
      texts[index] = fuller;
      left -= cost;
    }
  const blockOf = new Map(
    groups.flatMap((group, index) => group.map((one) => [one, texts[index] ?? ""] as const)),
  );
  return { text: texts.join("\n"), blocks: listed.map((one) => blockOf.get(one) ?? "") };
}

/** How much is said of each problem. */
interface Round {
  readonly message: number;
  readonly excerpt: number;
  readonly hasSource?: boolean;
}

const NAMED: Round = { message: 0, excerpt: 0 };

const ROUNDS: readonly Round[] = [
  { message: 70, excerpt: 0 },
  { message: 160, excerpt: 0 },
  { message: 600, excerpt: 0 },
  { message: 600, excerpt: 300 },
  { message: 600, excerpt: 800 },
  { message: 600, excerpt: 1600 },
  { message: 600, excerpt: 1600, hasSource: true },
  { message: 600, excerpt: 4000, hasSource: true },
];

type Group = readonly [Listed, ...Listed[]];

/** Failures that say the same are one failure in several places. */
function foldAlike(listed: readonly Listed[]): readonly Group[] {
  const groups = new Map<string | Listed, [Listed, ...Listed[]]>();
  for (const one of listed) {
    const { severity, code, test, message, excerpt } = one.problem;
    const key =
      one.known || excerpt === undefined
        ? one
        : [severity, code, test === undefined, message, excerpt].join("\u0000");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

function groupText([{ problem, known }, ...others]: Group, round: Round): string {
  const text = known
    ? problemLine(problem, Math.min(round.message, LINE_CHARS))
    : problemText(problem, round);
  return [text, ...others.map(({ problem: other }) => `    the same: ${bareName(other)}`)].join("\n");
}

/** A test or a rule has a name that says enough while there is no room for more. */
function problemText(problem: Problem, { message, excerpt, hasSource = false }: Round): string {
  const { test, code, message: said, excerpt: whole = "" } = problem;
  const most = Math.max(message, test === undefined && code === undefined ? 40 : 0);
  if (excerpt === 0) {
    const values = namesNothing(said) ? shownValues(whole) : "";
    return problemLine(values === "" ? problem : { ...problem, message: values }, most);
  }
  const shown = hasSource && whole.length <= excerpt ? whole : withoutSource(whole);
  return problemBlock({ ...problem, excerpt: shown }, excerpt);
}

/** The marked source is shown whole or not at all. */
function withoutSource(excerpt: string): string {
  const kept = excerpt.split("\n").filter((line) => !isSource(line));
  return kept
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim() === ""
    ? ""
    : kept.join("\n").trimEnd();
}

function bareName(problem: Problem): string {
  return [problemPlace(problem), problem.test].filter(Boolean).join(" ") || problem.message;
}

export function layOutLines(listed: readonly Listed[], maxMessageChars: number): LaidOut {
  return laidOut(listed.map(({ problem }) => problemLine(problem, maxMessageChars)));
}

function laidOut(blocks: readonly string[]): LaidOut {
  return { text: blocks.join("\n"), blocks };
}

const LINE_CHARS = 240;
const MESSAGE_CHARS = [LINE_CHARS, 160, 110, 70, 40] as const;
const FULL_OF_A_KIND = 3;
const SHARE_OF_LINES = 0.75;
const ENOUGH_LINES = 60;

/** Those whose kind has been shown in full often enough: ninety-nine tests with one cause are one cause with ninety-nine names. */
function repeatsOfKind(listed: readonly Listed[]): ReadonlySet<Listed | undefined> {
  const seen = new Map<string, number>();
  return new Set(
    listed.filter(({ problem }) => {
      const kind = kindOf(problem);
      const before = seen.get(kind) ?? 0;
      seen.set(kind, before + 1);
      return before >= FULL_OF_A_KIND;
    }),
  );
}

function linesThenPlaces(listed: readonly Listed[], budgetChars: number): string {
  const lines = firstLines(listed, budgetChars * SHARE_OF_LINES);
  const rest = listed.slice(lines.length).toSorted((one, other) => one.position - other.position);
  const left = budgetChars - lines.join("\n").length - REST_NOTE_CHARS;
  const { places, count } = barePlaces(rest, left);
  const missing = rest.length - count;
  return [...lines, ...places, ...(missing > 0 ? [`… and ${missing} more, not listed.`] : [])].join("\n");
}

const REST_NOTE_CHARS = 48;

/** The first of each kind keeps its message, the others are shortened until enough problems get their line. */
function firstLines(listed: readonly Listed[], chars: number): readonly string[] {
  const repeats = repeatsOfKind(listed);
  for (const maxMessage of MESSAGE_CHARS) {
    const lines = whileRoom(listed, chars, (one) =>
      problemLine(one.problem, repeats.has(one) ? Math.min(maxMessage, 40) : maxMessage),
    );
    if (lines.length >= ENOUGH_LINES) return lines;
  }
  return whileRoom(listed, chars, ({ problem }) => problemLine(problem, 0));
}

/** `also src/a.ts:3, 9, 14`: enough to open the right lines; tests by their names. */
function barePlaces(listed: readonly Listed[], chars: number): { places: readonly string[]; count: number } {
  const byName = new Map<string, Set<string>>();
  let left = chars;
  let count = 0;
  for (const { problem } of listed) {
    const { name, spot } = bareSpot(problem);
    const spots = byName.get(name) ?? new Set();
    const cost =
      (byName.has(name) ? 0 : name.length + "also :\n".length) + (spots.has(spot) ? 0 : spot.length + 2);
    if (cost > left) break;
    byName.set(name, spots.add(spot));
    left -= cost;
    count += 1;
  }
  const places = [...byName].map(
    ([name, spots]) => `also ${[name, [...spots].join(", ")].filter(Boolean).join(":")}`,
  );
  return { places, count };
}

function bareSpot(problem: Problem): { name: string; spot: string } {
  const { file, line, test, message } = problem;
  if (test !== undefined) return { name: `${problemPlace(problem)} ${test}`.trim(), spot: "" };
  return { name: file ?? message.slice(0, LINE_CHARS), spot: file === undefined ? "" : String(line ?? "") };
}

function allWithin<One>(
  all: readonly One[],
  chars: number,
  render: (one: One) => string,
): readonly string[] | undefined {
  const parts = whileRoom(all, chars + 1, render);
  return parts.length === all.length ? parts : undefined;
}

function whileRoom<One>(all: readonly One[], chars: number, render: (one: One) => string): readonly string[] {
  const parts: string[] = [];
  let left = chars;
  for (const one of all) {
    const part = render(one);
    left -= part.length + 1;
    if (left < 0) break;
    parts.push(part);
  }
  return parts;
}
