import { problemBlock, problemLine } from "./describe-problem.ts";
import type { Problem } from "./problem.ts";

/** Problems to show: the ones the agent knows already are kept to one line. */
export interface Listed {
  readonly problem: Problem;
  readonly known: boolean;
}

/**
 * Every problem as fully as the budget allows: with excerpts, with shorter ones, one line each; when even that is too much, the first
 * ones as lines, the next as bare places, and a count of the rest.
 */
export function layOutProblems(listed: readonly Listed[], budgetChars: number): string {
  for (const maxExcerpt of EXCERPT_CHARS) {
    const text = joined(
      listed.map(({ problem, known }) => (known ? oneLine(problem) : problemBlock(problem, maxExcerpt))),
    );
    if (text.length <= budgetChars) return text;
  }
  const lines = listed.map(({ problem }) => oneLine(problem));
  if (joined(lines).length <= budgetChars) return joined(withExcerptsWhileRoom(listed, lines, budgetChars));
  return linesThenPlaces(
    listed.map(({ problem }) => problem),
    budgetChars,
  );
}

const EXCERPT_CHARS = [4000, 1600, 800, 400] as const;
const LINE_CHARS = 240;
const SHORT_LINE_CHARS = 90;
const SHARE_OF_LINES = 0.75;

function oneLine(problem: Problem): string {
  return problemLine(problem, LINE_CHARS);
}

function joined(parts: readonly string[]): string {
  return parts.join("\n");
}

/** The first ones are repaired first, so they get their excerpts first. */
function withExcerptsWhileRoom(
  listed: readonly Listed[],
  lines: readonly string[],
  budgetChars: number,
): readonly string[] {
  let left = budgetChars - joined(lines).length;
  return listed.map(({ problem, known }, index) => {
    const line = lines[index] ?? "";
    const block = known ? line : problemBlock(problem, 400);
    if (block.length - line.length > left) return line;
    left -= block.length - line.length;
    return block;
  });
}

function linesThenPlaces(problems: readonly Problem[], budgetChars: number): string {
  const lines = takeWhileRoom(
    problems.map((problem) => problemLine(problem, SHORT_LINE_CHARS)),
    budgetChars * SHARE_OF_LINES,
  );
  const rest = problems.slice(lines.length);
  const left = budgetChars - joined(lines).length - REST_NOTE_CHARS;
  const { text, count } = bareplaces(rest, left);
  const missing = rest.length - count;
  return joined([...lines, ...text, ...(missing > 0 ? [`… and ${missing} more, not listed.`] : [])]);
}

const REST_NOTE_CHARS = 48;

function takeWhileRoom(parts: readonly string[], chars: number): readonly string[] {
  let left = chars;
  const end = parts.findIndex((part) => (left -= part.length + 1) < 0);
  return end === -1 ? parts : parts.slice(0, end);
}

/** `also src/a.ts:3, 9, 14`: enough to open the right lines. */
function bareplaces(problems: readonly Problem[], chars: number): { text: readonly string[]; count: number } {
  const text: string[] = [];
  let left = chars;
  let count = 0;
  let current: string | undefined;
  for (const problem of problems) {
    const name = problem.file ?? problem.test ?? problem.message.slice(0, SHORT_LINE_CHARS);
    const spot = String(problem.line ?? "");
    const addition = name === current ? `, ${spot}` : `also ${name}${spot === "" ? "" : `:${spot}`}`;
    if (addition.length + 1 > left) break;
    if (name === current) text.push(`${text.pop() ?? ""}${addition}`);
    else text.push(addition);
    current = name;
    left -= addition.length + 1;
    count += 1;
  }
  return { text, count };
}
