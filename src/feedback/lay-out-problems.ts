import { problemBlock, problemLine, problemPlace } from "./describe-problem.ts";
import type { Problem } from "./problem.ts";

/** A problem to show, in the order of repair. */
export interface Listed {
  readonly problem: Problem;
  /** The agent has been told before: one line is enough. */
  readonly known: boolean;
  /** Its position in the log. */
  readonly position: number;
}

/**
 * Every problem as fully as the budget allows: with excerpts, with shorter ones, one line each, one shorter line each; when even that is
 * too much, the first ones as lines, the next as bare places, and a count of the rest.
 */
export function layOutProblems(listed: readonly Listed[], budgetChars: number): string {
  for (const maxExcerpt of EXCERPT_CHARS) {
    const blocks = allWithin(listed, budgetChars, ({ problem, known }) =>
      known ? problemLine(problem, LINE_CHARS) : problemBlock(problem, maxExcerpt),
    );
    if (blocks !== undefined) return blocks.join("\n");
  }
  for (const maxMessage of MESSAGE_CHARS) {
    const lines = allWithin(listed, budgetChars, ({ problem }) => problemLine(problem, maxMessage));
    if (lines !== undefined) return withExcerptsWhileRoom(listed, lines, budgetChars).join("\n");
  }
  return linesThenPlaces(listed, budgetChars);
}

const EXCERPT_CHARS = [4000, 1600, 800, 400] as const;
const LINE_CHARS = 240;
const MESSAGE_CHARS = [LINE_CHARS, 160, 110, 70, 40] as const;
const SHARE_OF_LINES = 0.75;
const ENOUGH_LINES = 60;

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

/** Longer messages for as long as enough problems get their line. */
function firstLines(listed: readonly Listed[], chars: number): readonly string[] {
  for (const maxMessage of MESSAGE_CHARS) {
    const lines = whileRoom(listed, chars, ({ problem }) => problemLine(problem, maxMessage));
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

/** All of them rendered, or nothing when they do not fit. */
function allWithin(
  listed: readonly Listed[],
  chars: number,
  render: (one: Listed) => string,
): readonly string[] | undefined {
  const parts = whileRoom(listed, chars + 1, render);
  return parts.length === listed.length ? parts : undefined;
}

/** The first ones rendered, as many as fit. */
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
