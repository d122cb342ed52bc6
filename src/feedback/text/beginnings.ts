import type { Lines } from "./lines.ts";

/** Gives the lines that begin, after blanks, with one of some words, in order. No word may begin another. */
export type FindBeginnings = (...words: readonly string[]) => readonly number[];

/**
 * Looks at the first two characters of every line once, so that forty parsers need not. The lines are sorted into drawers by them, in
 * typed arrays, for a log may have half a million.
 */
export function indexBeginnings(lines: Lines): FindBeginnings {
  const indents = new Uint16Array(lines.length);
  const pairs = new Int32Array(lines.length);
  const ends = new Int32Array(DRAWERS + 1);
  for (let index = 0; index < lines.length; index += 1) {
    const indent = lines.indentOf(index);
    const pair = pairOf(lines.codeAt(index, indent), lines.codeAt(index, indent + 1));
    indents[index] = indent;
    pairs[index] = pair;
    ends[drawerOf(pair)] = (ends[drawerOf(pair)] ?? 0) + 1;
  }
  const sorted = intoDrawers(pairs, ends);
  const known = new Map<string, readonly number[]>();
  return (...words) =>
    words
      .map(linesWith)
      .toSorted((one, other) => one.length - other.length) // a long list is copied once
      .reduce(inOrder, []);

  function linesWith(word: string): readonly number[] {
    const found = known.get(word) ?? (word.length === 1 ? linesWithCharacter(word) : linesWithWord(word));
    known.set(word, found);
    return found;
  }

  function linesWithWord(word: string): readonly number[] {
    const pair = pairOf(word.charCodeAt(0), word.charCodeAt(1));
    const found: number[] = [];
    const drawer = drawerOf(pair);
    for (let at = drawer === 0 ? 0 : (ends[drawer - 1] ?? 0); at < (ends[drawer] ?? 0); at += 1) {
      const index = sorted[at] ?? 0;
      if (pairs[index] === pair && (word.length === 2 || lines.startsWith(index, word, indents[index] ?? 0)))
        found.push(index);
    }
    return found;
  }

  /** Of one first character there are several drawers, side by side. */
  function linesWithCharacter(character: string): readonly number[] {
    const code = character.charCodeAt(0);
    const first = drawerOf(pairOf(code, 0));
    const from = first === 0 ? 0 : (ends[first - 1] ?? 0);
    const near = sorted.subarray(from, ends[first + SECONDS - 1]).toSorted();
    return Array.from(near.filter((index) => (pairs[index] ?? 0) >>> 16 === code));
  }
}

const SECONDS = 32;
const DRAWERS = 128 * SECONDS;

/** Those with the same first character are side by side. */
function drawerOf(pair: number): number {
  return (((pair >>> 16) & 127) * SECONDS) | (pair & (SECONDS - 1));
}

/** The numbers of all lines, drawer by drawer; `ends` holds how many each has, and then where each ends. */
function intoDrawers(pairs: Int32Array, ends: Int32Array): Int32Array {
  let sum = 0;
  const next = ends.map((count) => (sum += count) - count);
  const sorted = new Int32Array(pairs.length);
  pairs.forEach((pair, index) => {
    const drawer = drawerOf(pair);
    const at = next[drawer] ?? 0;
    sorted[at] = index;
    next[drawer] = at + 1;
  });
  ends.set(next);
  return sorted;
}

/** Two lists in order as one. */
function inOrder(one: readonly number[], other: readonly number[]): readonly number[] {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const merged: number[] = [];
  let next = 0;
  for (const number of one) {
    while (next < other.length && (other[next] ?? 0) < number) merged.push(other[next++] ?? 0);
    merged.push(number);
  }
  while (next < other.length) merged.push(other[next++] ?? 0);
  return merged;
}

function pairOf(first: number, second: number): number {
  return (first << 16) | second;
}
