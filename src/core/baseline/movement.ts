import { displayPath } from "../path.ts";

/** What happened to the work tree since a snapshot of it was taken. */
export interface Movement {
  /** Whether every file still has the content it had. */
  readonly isCurrent: boolean;
  /** Files that were written since, with another content or with the same. */
  readonly touched: readonly Touched[];
}

interface Touched {
  readonly path: string;
  /** When it last changed, in milliseconds since the epoch; absent where nothing tells. */
  readonly at?: number;
  readonly isChanged: boolean;
}

/** When a gate ran. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Why a pass is in doubt: the gates did not all see the same files. One gate that writes is no reason for doubt while it writes
 * what was there before, or when every other gate started after it.
 */
export function doubtAbout({ touched }: Movement, spans: readonly Span[]): string | undefined {
  if (touched.length === 0) return undefined;
  const names = namesOf(touched);
  const writers = spans.filter((span) => touched.every(({ at }) => at === undefined || isWithin(at, span)));
  if (writers.length === 0)
    return `something changed while the gates ran (${names}): they may not have seen what is there now`;
  if (!touched.some(({ isChanged }) => isChanged)) return undefined;
  const last = Math.max(...touched.map(({ at }) => at ?? Infinity));
  const isBeforeOthers = (writer: Span): boolean =>
    spans.every((span) => span === writer || span.start >= last);
  return writers.some(isBeforeOthers)
    ? undefined
    : `a gate changed files while others ran (${names}): they may not have seen what is there now`;
}

/** The clock of a file system may be a tick behind ours, or tick in whole seconds; it is never ahead, but ours is rounded down. */
function isWithin(at: number, { start, end }: Span): boolean {
  const behind = at % 1000 === 0 ? 2_000 : 10;
  return at >= start - behind && at <= end + 1;
}

const MOST_NAMED = 3;

function namesOf(touched: readonly Touched[]): string {
  const names = touched.slice(0, MOST_NAMED).map(({ path }) => displayPath(path));
  const more = touched.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
