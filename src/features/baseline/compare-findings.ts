import { countEach, type KeyedProblem } from "../../feedback/known-problems.ts";

export interface Findings {
  readonly problems: readonly KeyedProblem[];
  /** Every failure that the tools count is among the problems. */
  readonly isAllRead: boolean;
  /** Failure lines that no parser read, without what differs from run to run. */
  readonly unread: readonly string[];
  /** A hash of the whole output without what differs from run to run; undefined if the log was cut. */
  readonly output?: string;
  readonly ended?: string;
  readonly ran?: number;
  /** The line in which a tool says that it stopped early. */
  readonly endedEarly?: string;
}

export interface Comparison {
  readonly isOnlyOld: boolean;
  readonly fresh: readonly number[];
  readonly old: readonly number[];
  readonly gone: readonly number[];
}

/**
 * Problems with the same fingerprint are counted, and paired by the nearest lines. If no parser can tell problems apart, they
 * are old only if the whole output is the same.
 */
export function compareFindings(now: Findings, before: Findings): Comparison {
  const { fresh, old, gone } = pairProblems(now.problems, before.problems);
  const hasFailedBefore = before.ended !== undefined;
  return { isOnlyOld: hasFailedBefore && fresh.length === 0 && isExplained(now, before), fresh, old, gone };
}

function isExplained(now: Findings, before: Findings): boolean {
  if (isBroken(now.ended) || (isCrash(now.ended) && now.ended !== before.ended)) return false;
  if (now.problems.length > 0 && now.isAllRead) return isWithin(now.unread, before.unread);
  if (isCrash(now.ended)) return false; // it may have found nothing at all, then and now
  return now.output !== undefined && now.output === before.output && now.ended === before.ended;
}

/** Whether fewer tests ran than before: what the others would have found is unknown. */
export function ranFewer(now: { readonly ran?: number }, before: { readonly ran?: number }): boolean {
  return before.ran !== undefined && (now.ran ?? 0) < before.ran;
}

/** A shell exits with 126 or 127 if a command could not be run at all. */
export function isBroken(ended: string | undefined): boolean {
  return /^exit code 12[67]\b/.test(ended ?? "");
}

/** Some tools exit with the number of failures; 126 and above come from a shell or a signal. */
export function isCrash(ended: string | undefined): boolean {
  const code = /^exit code (\d+)/.exec(ended ?? "")?.[1];
  return code === undefined || Number(code) >= 126;
}

function isWithin(lines: readonly string[], others: readonly string[]): boolean {
  const left = countEach(others);
  return lines.every((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0;
  });
}

function pairProblems(
  now: readonly KeyedProblem[],
  before: readonly KeyedProblem[],
): Omit<Comparison, "isOnlyOld"> {
  const current = byKey(now);
  const earlier = byKey(before);
  const old = new Set<number>();
  const stayed = new Set<number>();
  for (const [key, positions] of current) {
    for (const [mine, theirs] of nearestPairs(positions, earlier.get(key) ?? [])) {
      old.add(mine.at);
      stayed.add(theirs.at);
    }
  }
  return {
    fresh: [...now.keys()].filter((at) => !old.has(at)),
    old: [...now.keys()].filter((at) => old.has(at)),
    gone: [...before.keys()].filter((at) => !stayed.has(at)),
  };
}

interface Position {
  readonly at: number;
  readonly line: number;
}

function byKey(problems: readonly KeyedProblem[]): Map<string, Position[]> {
  const positions = new Map<string, Position[]>();
  for (const [at, { key, problem }] of problems.entries()) {
    const same = positions.get(key) ?? [];
    positions.set(key, same);
    same.push({ at, line: problem.line ?? 0 });
  }
  return positions;
}

/** Above this, it no longer matters which of the same problems is called new, only how many. */
const MOST_PAIRED = 100;

/** As many pairs as there can be, nearest lines first: else the agent is shown an old problem as the new one. */
function nearestPairs(
  mine: readonly Position[],
  theirs: readonly Position[],
): readonly (readonly [Position, Position])[] {
  const count = Math.min(mine.length, theirs.length);
  if (mine.length === count || mine.length * theirs.length > MOST_PAIRED * MOST_PAIRED)
    return Array.from(theirs.slice(0, count).entries()).flatMap(([at, other]) => {
      const one = mine[at];
      return one === undefined ? [] : [[one, other] as const];
    });
  const all = mine.flatMap((one) => theirs.map((other) => [one, other] as const));
  const taken = new Set<Position>();
  return all
    .toSorted(([a, b], [c, d]) => Math.abs(a.line - b.line) - Math.abs(c.line - d.line))
    .filter(([one, other]) => {
      if (taken.has(one) || taken.has(other)) return false;
      taken.add(one).add(other);
      return true;
    });
}

/** Both together; a problem counts as often as in the list that has more of it. */
export function joinFindings(one: Findings, other: Findings): Findings {
  const { gone: onlyInOther } = pairProblems(one.problems, other.problems);
  return {
    ...other,
    problems: [...one.problems, ...onlyInOther.flatMap((at) => other.problems[at] ?? [])],
    unread: [...one.unread, ...other.unread],
  };
}
