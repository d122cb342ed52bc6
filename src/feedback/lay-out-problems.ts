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
 * Every problem as fully as the budget allows: with excerpts, with shorter ones; then the first ones of each kind of failure with their
 * excerpts and the others as lines; one line each, one shorter line each; when even that is too much, the first ones as lines, the next
 * as bare places, and a count of the rest.
 */
export function layOutProblems(listed: readonly Listed[], budgetChars: number): LaidOut {
  const repeats = repeatsOfKind(listed);
  const alike = manyAlike(repeats);
  const others = alike.size > MANY_NAMES ? undefined : listed.filter((one) => !alike.has(one));
  const said = others && new Set(others.map(({ problem }) => problem.message));
  for (const maxExcerpt of EXCERPT_CHARS) {
    const blocks = allWithin(listed, budgetChars, (one) =>
      one.known || alike.has(one)
        ? problemLine(one.problem, one.known ? LINE_CHARS : shortMessage(one.problem, said))
        : problemBlock(one.problem, maxExcerpt),
    );
    if (blocks !== undefined) return laidOut(blocks);
  }
  for (const { excerpt, message } of KIND_CHARS) {
    const blocks = allWithin(listed, budgetChars, (one) => kindBlock(one, repeats, { excerpt, message }));
    if (blocks !== undefined) return laidOut(blocks);
  }
  for (const maxMessage of MESSAGE_CHARS) {
    const lines = allWithin(listed, budgetChars, ({ problem }) => problemLine(problem, maxMessage));
    if (lines !== undefined) return laidOut(withExcerptsWhileRoom(listed, lines, budgetChars));
  }
  return { text: linesThenPlaces(listed, budgetChars) };
}

export function layOutLines(listed: readonly Listed[], maxMessageChars: number): LaidOut {
  return laidOut(listed.map(({ problem }) => problemLine(problem, maxMessageChars)));
}

function laidOut(blocks: readonly string[]): LaidOut {
  return { text: blocks.join("\n"), blocks };
}

const EXCERPT_CHARS = [4000, 1600, 800, 400] as const;
const LINE_CHARS = 240;
const MESSAGE_CHARS = [LINE_CHARS, 160, 110, 70, 40] as const;

/** What the first of a kind get, and how much of the message the others repeat. */
const KIND_CHARS = [
  { excerpt: 1600, message: LINE_CHARS },
  { excerpt: 800, message: 110 },
  { excerpt: 800, message: 0 },
  { excerpt: 400, message: 0 },
] as const;
const FULL_OF_A_KIND = 3;
const MANY_OF_A_KIND = 6;
const MANY_NAMES = 20;
const SHARE_OF_LINES = 0.75;
const ENOUGH_LINES = 60;

/** Those whose kind has been shown in full often enough: ninety-nine tests with one cause are one cause with ninety-nine names. */
function repeatsOfKind(listed: readonly Listed[]): ReadonlySet<Listed> {
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

/** Many tests that failed alike, or complaints in the same words, need only their names and places, however much room there is. */
function manyAlike(repeats: ReadonlySet<Listed>): ReadonlySet<Listed> {
  const kinds = new Map<string, Listed[]>();
  for (const one of repeats) {
    const { file, test, code, message } = one.problem;
    if (file === undefined) continue;
    const kind = test === undefined ? `${code} ${message}` : kindOf(one.problem);
    const same = kinds.get(kind) ?? [];
    kinds.set(kind, same);
    same.push(one);
  }
  return new Set([...kinds.values()].filter(({ length }) => length >= MANY_OF_A_KIND).flat());
}

/** A test or a rule has a name that says enough; a few tests that failed with other values than those shown say them too. */
function shortMessage({ test, code, message }: Problem, said: ReadonlySet<string> | undefined): number {
  if (test !== undefined && said?.has(message) === false) return 110;
  return test === undefined && code === undefined ? 60 : 0;
}

function kindBlock(
  one: Listed,
  repeats: ReadonlySet<Listed>,
  { excerpt, message }: { readonly excerpt: number; readonly message: number },
): string {
  if (!one.known && !repeats.has(one)) return problemBlock(one.problem, excerpt);
  return problemLine(one.problem, one.problem.test === undefined ? Math.max(message, 40) : message);
}

/** The first ones are repaired first, so they get their excerpts first. */
function withExcerptsWhileRoom(
  listed: readonly Listed[],
  lines: readonly string[],
  budgetChars: number,
): readonly string[] {
  let left = budgetChars - lines.join("\n").length;
  return listed.map(({ problem, known }, index) => {
    const line = lines[index] ?? "";
    const block = known ? line : problemBlock(problem, 400);
    if (block.length - line.length > left) return line;
    left -= block.length - line.length;
    return block;
  });
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

function allWithin(
  listed: readonly Listed[],
  chars: number,
  render: (one: Listed) => string,
): readonly string[] | undefined {
  const parts = whileRoom(listed, chars + 1, render);
  return parts.length === listed.length ? parts : undefined;
}

function whileRoom(
  listed: readonly Listed[],
  chars: number,
  render: (one: Listed) => string,
): readonly string[] {
  const parts: string[] = [];
  let left = chars;
  for (const one of listed) {
    const part = render(one);
    left -= part.length + 1;
    if (left < 0) break;
    parts.push(part);
  }
  return parts;
}
