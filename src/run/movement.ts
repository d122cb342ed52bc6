import { displayPath } from "../path.ts";

/** What happened to the work tree since a snapshot of it was taken. */
export interface Movement {
  /** Whether every file has the content it had. */
  readonly isCurrent: boolean;
  /** Files that were written since the look before, with another content or with the same. */
  readonly touched: readonly Touched[];
}

export interface Touched {
  readonly path: string;
  /** When it last changed, in milliseconds since the epoch; absent where nothing tells. */
  readonly at?: number;
  /** Whether it had another content than in the snapshot when it was looked at. */
  readonly isChanged: boolean;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Write extends Touched {
  /** The gates that ran at some time between the look before and this one. */
  readonly gates: readonly Span[];
}

/**
 * Why a pass is in doubt: the gates did not all see the same files. One gate that writes is no reason for doubt while it writes
 * what was there before, or when every other gate started after it.
 */
export function doubtAbout(writes: readonly Write[], spans: readonly Span[]): string | undefined {
  if (writes.length === 0) return undefined;
  const names = namesOf(writes);
  if (!writes.every(isByGate))
    return `something changed while the gates ran (${names}): they may not have seen what is there now`;
  const writers = spans.filter((span) => writes.every((write) => isOnlyBy(span, write)));
  if (writers.length === 0)
    return `more than one gate may have written (${names}): they may not all have seen what is there now`;
  if (!writes.some(({ isChanged }) => isChanged)) return undefined;
  const last = Math.max(...writes.map(({ at }) => at ?? Infinity));
  const isBeforeOthers = (writer: Span): boolean =>
    spans.every((span) => span === writer || span.start >= last);
  return writers.some(isBeforeOthers)
    ? undefined
    : `a gate changed files while others ran (${names}): they may not have seen what is there now`;
}

function isByGate({ at, gates }: Write): boolean {
  return gates.some((span) => isWithin(at, span));
}

/** A gate that followed another without a look between may only have been the last to write. */
function isOnlyBy(span: Span, { at, gates }: Write): boolean {
  return (
    gates.includes(span) && isWithin(at, span) && !gates.some((one) => one !== span && one.end <= span.start)
  );
}

/** The clock of a file system may be a tick behind ours, or tick in whole seconds; it is never ahead, but ours is rounded down. */
function isWithin(at: number | undefined, { start, end }: Span): boolean {
  if (at === undefined) return true;
  const behind = at % 1000 === 0 ? 2_000 : 10;
  return at >= start - behind && at <= end + 1;
}

const MOST_NAMED = 3;

function namesOf(writes: readonly Write[]): string {
  const paths = [...new Set(writes.map(({ path }) => path))];
  const names = paths.slice(0, MOST_NAMED).map((path) => displayPath(path));
  const more = paths.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
