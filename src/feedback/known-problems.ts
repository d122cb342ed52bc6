import type { KnownProblem } from "../gates/outcome.ts";

export interface KeyedProblem {
  readonly key: string;
  readonly problem: KnownProblem;
}

/** One problem of one log: its fingerprint, and its place among those with the same. */
export function placedKey({ key, problem }: KeyedProblem): string {
  return `${key}:${problem.line ?? ""}:${problem.column ?? ""}`;
}

export function partition<T>(
  items: readonly T[],
  keys: readonly string[],
  keyOf: (item: T) => string,
): { readonly taken: readonly T[]; readonly rest: readonly T[] } {
  const left = countEach(keys);
  const taken: T[] = [];
  const rest: T[] = [];
  for (const item of items) {
    const key = keyOf(item);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    (count > 0 ? taken : rest).push(item);
  }
  return { taken, rest };
}

export function countEach(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
