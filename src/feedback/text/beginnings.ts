import type { Lines } from "./lines.ts";

/** Gives the lines that begin, after blanks, with one of some words, in order. No word may begin another. */
export type FindBeginnings = (...words: readonly string[]) => readonly number[];

/** How the lines of a log begin. */
export interface Beginnings {
  readonly beginning: FindBeginnings;
  /** The lines that begin, after blanks, with a digit. */
  readonly numbered: readonly number[];
}

/**
 * Looks at the first four characters of every line once, so that forty parsers need not. The lines are sorted into drawers by the first
 * two, in typed arrays, for a log may have half a million.
 */
export function indexBeginnings(lines: Lines): Beginnings {
  const indents = new Uint16Array(lines.length);
  const heads = new Int32Array(lines.length);
  const numbered: number[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const indent = lines.indentOf(index);
    const head = lines.headAt(index, indent);
    indents[index] = indent;
    heads[index] = head;
    if (isDigit(head & 255) && isDigit(lines.codeAt(index, indent))) numbered.push(index);
  }
  const { sorted, sortedHeads, ends } = intoDrawers(heads);
  const known = new Map<string, readonly number[]>();
  return {
    numbered,
    beginning: (...words) =>
      words
        .map(linesWith)
        .toSorted((one, other) => one.length - other.length) // a long list is copied once
        .reduce(inOrder, []),
  };

  function linesWith(word: string): readonly number[] {
    const found = known.get(word) ?? linesWithWord(word);
    known.set(word, found);
    return found;
  }

  /** Of one first character there are several drawers, side by side. */
  function linesWithWord(word: string): readonly number[] {
    const mask = word.length < 4 ? (1 << (8 * word.length)) - 1 : -1;
    const head = headOf(word) & mask;
    const first = drawerOf(head);
    const last = word.length === 1 ? first + SECONDS - 1 : first;
    const found: number[] = [];
    for (let at = ends[first - 1] ?? 0; at < (ends[last] ?? 0); at += 1) {
      if (((sortedHeads[at] ?? 0) & mask) !== head) continue;
      const index = sorted[at] ?? 0;
      if (lines.startsWith(index, word, indents[index] ?? 0)) found.push(index);
    }
    return last === first ? found : found.toSorted((one, other) => one - other);
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function headOf(word: string): number {
  return [0, 1, 2, 3].reduce((head, at) => head | ((word.charCodeAt(at) & 255) << (8 * at)), 0);
}

const SECONDS = 32;
const DRAWERS = 128 * SECONDS;

/** Those with the same first character are side by side. */
function drawerOf(head: number): number {
  return ((head & 127) * SECONDS) | ((head >>> 8) & (SECONDS - 1));
}

/** The numbers of all lines, and how they begin, drawer by drawer; and where each drawer ends. */
function intoDrawers(heads: Int32Array) {
  const counts = new Int32Array(DRAWERS);
  for (const head of heads) counts[drawerOf(head)] = (counts[drawerOf(head)] ?? 0) + 1;
  let sum = 0;
  const ends = counts.map((count) => (sum += count) - count);
  const sorted = new Int32Array(heads.length);
  const sortedHeads = new Int32Array(heads.length);
  heads.forEach((head, index) => {
    const drawer = drawerOf(head);
    const at = ends[drawer] ?? 0;
    sorted[at] = index;
    sortedHeads[at] = head;
    ends[drawer] = at + 1;
  });
  return { sorted, sortedHeads, ends };
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
