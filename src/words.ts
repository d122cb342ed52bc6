/** `1 gate`, `2 gates`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** `2 minutes ago`; a time that lies ahead is the fault of a clock, and counts as now. */
export function ago(time: number, now: number): string {
  const passed = now - time;
  const [noun, length] = UNITS.find(([, unit]) => passed >= unit) ?? [undefined, 1];
  return noun === undefined ? "just now" : `${counted(Math.floor(passed / length), noun)} ago`;
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** `12 ms`, `3.4 s`, `2 min 5 s`, `3 h 20 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A hint with the known name closest to a mistyped one, if any is close. */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const match = closest(name, known);
  return match === undefined ? undefined : `did you mean \`${match}\`?`;
}

/** Only this many known names are considered. */
const MAX_CANDIDATES = 200;

/** The known name that was probably meant. */
export function closest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 64) return undefined;
  const wanted = normalize(name);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const ranked = known
    .slice(0, MAX_CANDIDATES)
    .map((candidate) => ({ candidate, distance: editDistance(wanted, normalize(candidate)) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

/** `baseBranch`, `base-branch` and `base_branch` are the same mistake. */
function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "");
}

/** How many letters must be added, removed, replaced or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      current.push(cheapestStep({ a, b, row, column, beforeLast, last, current }));
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length] ?? 0;
}

interface Cell {
  readonly a: string;
  readonly b: string;
  readonly row: number;
  readonly column: number;
  readonly beforeLast: readonly number[];
  readonly last: readonly number[];
  readonly current: readonly number[];
}

function cheapestStep({ a, b, row, column, beforeLast, last, current }: Cell): number {
  const same = a[row - 1] === b[column - 1];
  const steps = [
    (last[column] ?? Infinity) + 1,
    (current[column - 1] ?? Infinity) + 1,
    (last[column - 1] ?? Infinity) + (same ? 0 : 1),
  ];
  const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
  if (swapped) steps.push((beforeLast[column - 2] ?? Infinity) + 1);
  return Math.min(...steps);
}

/** At most this long; what is cut off ends at a word. */
export function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf(" ", most - 2);
  return `${text.slice(0, end > 0 ? end : most - 2)} …`;
}
