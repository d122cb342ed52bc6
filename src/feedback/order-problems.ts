import type { FoundProblem } from "./find-problems.ts";
import type { Problem } from "./problem.ts";

/** Each problem once, in the order of repair: what does not build, then what linters say, failing tests, warnings; file by file. */
export function orderProblems(found: readonly FoundProblem[]): readonly Problem[] {
  const unique = withoutRepeats(found);
  const firstSeen = new Map<string, number>();
  for (const one of unique) {
    const key = `${rank(one)} ${one.problem.file}`;
    if (!firstSeen.has(key)) firstSeen.set(key, firstSeen.size);
  }
  return unique
    .map((one) => ({ one, rank: rank(one), file: firstSeen.get(`${rank(one)} ${one.problem.file}`) ?? 0 }))
    .toSorted((a, b) => a.rank - b.rank || a.file - b.file || lineOf(a.one) - lineOf(b.one))
    .map(({ one }) => one.problem);
}

const RANK = { build: 0, lint: 2, test: 4 } as const;
const WARNING_RANK = 6;

/** Within its kind, a problem with a place is easier to repair than one without. */
function rank({ problem, kind }: FoundProblem): number {
  if (problem.severity === "warning") return WARNING_RANK;
  return RANK[kind] + (problem.file === undefined ? 1 : 0);
}

function lineOf({ problem }: FoundProblem): number {
  return problem.line ?? Number.MAX_SAFE_INTEGER;
}

/** Runners repeat failures in a summary, and two tools may report the same line: the fullest telling stays, where the first one stood. */
function withoutRepeats(found: readonly FoundProblem[]): readonly FoundProblem[] {
  const unique = new Map<string, FoundProblem>();
  for (const one of found) {
    const key = identityOf(one.problem);
    const seen = unique.get(key);
    if (seen === undefined || weight(one.problem) > weight(seen.problem)) unique.set(key, one);
  }
  return withoutBareRepeats([...unique.values()]);
}

/** A runner lists the names of failed tests again at the end, without what it said about them. */
function withoutBareRepeats(unique: readonly FoundProblem[]): readonly FoundProblem[] {
  const known = withoutShapesOfKnown(unique);
  const told = new Set(known.filter(isTold).map(({ problem }) => problem.test));
  return known.filter((one) => one.problem.test === undefined || isTold(one) || !told.has(one.problem.test));
}

function isTold({ problem }: FoundProblem): boolean {
  return problem.file !== undefined || problem.excerpt !== undefined;
}

/** What a runner's own parser has read is not read again by its shape, nor from the list at the end. */
function withoutShapesOfKnown(unique: readonly FoundProblem[]): readonly FoundProblem[] {
  const surest = new Map<string, number>();
  for (const { tool, problem } of unique) {
    const name = lastName(problem.test ?? "");
    surest.set(name, Math.min(surest.get(name) ?? Number.MAX_SAFE_INTEGER, sureness(tool)));
  }
  return unique.filter(
    ({ tool, problem }) =>
      problem.test === undefined || sureness(tool) <= (surest.get(lastName(problem.test)) ?? 0),
  );
}

function sureness(tool: string): number {
  return tool === "listed" ? 2 : tool === "tests" ? 1 : 0;
}

/** The test without its suites. */
export function lastName(test: string): string {
  return test.split(/ [>›] |::|#|\./).at(-1) ?? test;
}

/** What makes two tellings the same problem. */
export function identityOf({ file, line, column, code, test, message }: Problem): string {
  if (test !== undefined) return `test ${file} ${line} ${test}`;
  return [file, line, column, code, message].join("\u0000");
}

function weight(problem: Problem): number {
  return Object.keys(problem).length + (problem.excerpt?.length ?? 0) / 10_000;
}
