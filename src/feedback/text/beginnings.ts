import { byteOf, type Lines } from "./lines.ts";

/** Gives the lines that begin, after blanks, with one of some words, in order. No word may begin another. */
export type FindBeginnings = (...words: readonly string[]) => readonly number[];

/** How the lines of a log begin. */
export interface Beginnings {
  readonly beginning: FindBeginnings;
  /** The lines that begin, after blanks, with a digit. */
  readonly numbered: readonly number[];
}

/**
 * Looks at the first eight characters of every line once, so that forty parsers need not: to look at one line in ten again for each word
 * takes longer, for the memory is slow. The lines are sorted into drawers by the first character, in typed arrays, for a log may have
 * half a million.
 */
export function indexBeginnings(lines: Lines): Beginnings {
  const indents = new Uint16Array(lines.length);
  const heads = new Int32Array(2 * lines.length);
  const numbered: number[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const indent = lines.indentOf(index);
    const head = lines.headAt(index, indent);
    indents[index] = indent;
    heads[2 * index] = head;
    heads[2 * index + 1] = lines.headAt(index, indent + 4);
    if (isDigit(head & 255)) numbered.push(index);
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

  function linesWithWord(word: string): readonly number[] {
    const masks = [maskOf(word.length), maskOf(word.length - 4)] as const;
    const head = headOf(word) & masks[0];
    const next = headOf(word.slice(4)) & masks[1];
    const isSure = word.length <= 8 && /^[\u0000-\u007F]*$/.test(word);
    const found: number[] = [];
    for (let at = ends[(head & 255) - 1] ?? 0; at < (ends[head & 255] ?? 0); at += 1) {
      const isAlike =
        ((sortedHeads[2 * at] ?? 0) & masks[0]) === head &&
        ((sortedHeads[2 * at + 1] ?? 0) & masks[1]) === next;
      if (!isAlike) continue;
      const index = sorted[at] ?? 0;
      if (isSure || lines.startsWith(index, word, indents[index] ?? 0)) found.push(index);
    }
    return found;
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function headOf(word: string): number {
  return [0, 1, 2, 3].reduce((head, at) => head | (byteOf(word.charCodeAt(at)) << (8 * at)), 0);
}

/** What so many characters take of four. */
function maskOf(length: number): number {
  return length >= 4 ? -1 : (1 << (8 * Math.max(0, length))) - 1;
}

/** The numbers of all lines, and how they begin, drawer by drawer; and where each drawer ends. */
function intoDrawers(heads: Int32Array) {
  const count = heads.length / 2;
  const ends = new Int32Array(256);
  for (let index = 0; index < count; index += 1) {
    const drawer = (heads[2 * index] ?? 0) & 255;
    ends[drawer] = (ends[drawer] ?? 0) + 1;
  }
  let sum = 0;
  ends.forEach((size, drawer) => {
    ends[drawer] = sum;
    sum += size;
  });
  const sorted = new Int32Array(count);
  const sortedHeads = new Int32Array(heads.length);
  for (let index = 0; index < count; index += 1) {
    const head = heads[2 * index] ?? 0;
    const at = ends[head & 255] ?? 0;
    sorted[at] = index;
    sortedHeads[2 * at] = head;
    sortedHeads[2 * at + 1] = heads[2 * index + 1] ?? 0;
    ends[head & 255] = at + 1;
  }
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
