import { lineTable } from "./line-traits.ts";

/** No tool puts a place further right; a minified file or a JSON blob on one line must not cost time. */
const LONGEST_LINE = 4000;

/**
 * The lines of a log. Each is cut out of the text when it is asked for: there may be half a million, most are never looked at, and
 * keeping them all costs more than the rest of the reading.
 */
export class Lines {
  readonly length: number;
  readonly #text: string;
  /** For each line its start, its end and its traits. */
  readonly #table: Int32Array;
  /** Lines that the log does not hold in this form; their places are counted on behind its end. */
  readonly #added: string;
  #change: ((line: string) => string) | undefined;

  constructor(text: string, table: Int32Array = lineTable(text), added = "") {
    this.#text = text;
    this.#table = table;
    this.#added = added;
    this.length = table.length / 3;
  }

  /** These lines, and below them those of another text. */
  plus(text: string): Lines {
    const added = this.#tableOf(text);
    const table = new Int32Array(this.#table.length + added.length);
    table.set(this.#table);
    table.set(added, this.#table.length);
    return new Lines(this.#text, table, `${this.#added}${text}\n`);
  }

  /** The same lines, but instead of some of them those of a text. */
  replaced(numbers: readonly number[], text: string): Lines {
    const added = this.#tableOf(text);
    const table = this.#table.slice();
    numbers.forEach((line, index) => {
      for (let cell = 0; cell < 3; cell += 1) table[3 * line + cell] = added[3 * index + cell] ?? 0;
    });
    return new Lines(this.#text, table, `${this.#added}${text}\n`);
  }

  /** Some of the lines, in any order, each without its first characters; an empty one for a number that no line has. */
  picked(numbers: Int32Array, skipped?: Uint16Array): Lines {
    const table = new Int32Array(3 * numbers.length);
    for (let at = 0; at < numbers.length; at += 1) {
      const line = numbers[at] ?? 0;
      table[3 * at] = this.#startOf(line) + (skipped?.[at] ?? 0);
      table[3 * at + 1] = this.#endOf(line);
      table[3 * at + 2] = this.#table[3 * line + 2] ?? 0;
    }
    return new Lines(this.#text, table, this.#added);
  }

  /** The same lines, each changed when it is asked for; their traits are those they had. */
  changed(change: (line: string) => string): Lines {
    const lines = new Lines(this.#text, this.#table, this.#added);
    lines.#change = change;
    return lines;
  }

  /** The line at an index; nothing outside the log. */
  at(index: number): string {
    const line = this.printedAt(index);
    return this.#change === undefined ? line : this.#change(line);
  }

  /** The same without the change, which a look at its words does not need. */
  printedAt(index: number): string {
    const at = this.#placeOf(index);
    return this.#textOf(index).slice(at, at + Math.min(this.lengthOf(index), LONGEST_LINE));
  }

  /** The same, however long it is. */
  wholeAt(index: number): string {
    const at = this.#placeOf(index);
    return this.#textOf(index).slice(at, at + this.lengthOf(index));
  }

  slice(from: number, to: number = this.length): readonly string[] {
    const lines: string[] = [];
    for (let index = Math.max(0, from); index < Math.min(to, this.length); index += 1)
      lines.push(this.at(index));
    return lines;
  }

  /** Whether a line has one of some traits; without any, it need not be looked at. */
  may(index: number, traits: number): boolean {
    return ((this.#table[3 * index + 2] ?? 0) & traits) !== 0;
  }

  /** Whether it is empty or blank. */
  isBlank(index: number): boolean {
    return this.indentOf(index) >= this.lengthOf(index);
  }

  lengthOf(index: number): number {
    return this.#endOf(index) - this.#startOf(index);
  }

  /** How many blanks a line begins with. */
  indentOf(index: number): number {
    const length = this.lengthOf(index);
    const text = this.#textOf(index);
    const at = this.#placeOf(index);
    let indent = 0;
    while (indent < length && text.charCodeAt(at + indent) <= SPACE) indent += 1;
    return indent;
  }

  /** The character of a line at a position, as a number; 10 behind its end. */
  codeAt(index: number, position: number): number {
    if (position >= this.lengthOf(index)) return NEWLINE;
    return this.#textOf(index).charCodeAt(this.#placeOf(index) + position);
  }

  /** Four characters of a line from a position on as one number, the first one lowest: ASCII as it is, of others eight bits. */
  headAt(index: number, position: number): number {
    const text = this.#textOf(index);
    const from = this.#placeOf(index) + position;
    const left = this.lengthOf(index) - position;
    let head = 0;
    for (let at = 0; at < 4; at += 1)
      head |= byteOf(at < left ? text.charCodeAt(from + at) : NEWLINE) << (8 * at);
    return head;
  }

  /** Looks at its last character first, for words that begin alike. */
  startsWith(index: number, word: string, position: number): boolean {
    const text = this.#textOf(index);
    const from = this.#placeOf(index) + position;
    let at = word.length - 1;
    while (at >= 0 && text.charCodeAt(from + at) === word.charCodeAt(at)) at -= 1;
    return at < 0;
  }

  /** Whether all of them together have at most so many characters. */
  fit(chars: number): boolean {
    let left = chars + 1;
    for (let index = 0; index < this.length && left >= 0; index += 1) left -= this.at(index).length + 1;
    return left >= 0;
  }

  /** Whether a word stands in the text that the lines are cut out of. */
  include(word: string): boolean {
    return this.#text.includes(word) || this.#added.includes(word);
  }

  #startOf(index: number): number {
    return this.#table[3 * index] ?? 0;
  }

  #endOf(index: number): number {
    return this.#table[3 * index + 1] ?? 0;
  }

  #textOf(index: number): string {
    return this.#startOf(index) > this.#text.length ? this.#added : this.#text;
  }

  /** Where a line starts in its text. */
  #placeOf(index: number): number {
    const start = this.#startOf(index);
    return start > this.#text.length ? start - this.#text.length - 1 : start;
  }

  #tableOf(added: string): Int32Array {
    return lineTable(added, this.#text.length + 1 + this.#added.length);
  }
}

const NEWLINE = 10;
const SPACE = 32;

/** A character in eight bits; only that of an ASCII character is its own. */
export function byteOf(code: number): number {
  return code < 128 ? code : 128 | (code & 127);
}

/** Gives the lines that begin, after blanks, with one of some words, in order. No word may begin another. */
export type FindBeginnings = (...words: readonly string[]) => readonly number[];
