import { lineTraits } from "./line-traits.ts";

/** No tool puts a place further right; a minified file or a JSON blob on one line must not cost time. */
const LONGEST_LINE = 4000;

/**
 * The lines of a log. Each is cut out of the text when it is asked for: there may be half a million, most are never looked at, and
 * keeping them all costs more than the rest of the reading.
 */
export class Lines {
  readonly length: number;
  readonly #text: string;
  /** One more than there are lines: the last is where the next one would start. */
  readonly #starts: Int32Array;
  #traits: Int32Array | undefined;
  #change: ((line: string) => string) | undefined;

  constructor(text: string, starts: Int32Array = startsOfLines(text)) {
    this.#text = text;
    this.#starts = starts;
    this.length = starts.length - 1;
  }

  /** The same lines, each changed when it is asked for; their traits are those they had. */
  changed(change: (line: string) => string): Lines {
    const lines = new Lines(this.#text, this.#starts);
    lines.#traits = this.#traits;
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
    if (index < 0 || index >= this.length) return "";
    const start = this.#starts[index] ?? 0;
    return this.#text.slice(start, Math.min((this.#starts[index + 1] ?? 0) - 1, start + LONGEST_LINE));
  }

  slice(from: number, to: number = this.length): readonly string[] {
    const lines: string[] = [];
    for (let index = Math.max(0, from); index < Math.min(to, this.length); index += 1)
      lines.push(this.at(index));
    return lines;
  }

  /** Some lines as one text, without the first characters. */
  text(from: number, to: number, skipped: number = 0): string {
    return this.#text.slice((this.#starts[from] ?? 0) + skipped, (this.#starts[to] ?? 0) - 1);
  }

  /** Whether a line has one of some traits; without any, it need not be looked at. */
  may(index: number, traits: number): boolean {
    return ((this.#known[index] ?? 0) & traits) !== 0;
  }

  /** Whether any line has one of some traits. */
  haveAny(traits: number): boolean {
    return this.#known.some((known) => (known & traits) !== 0);
  }

  get #known(): Int32Array {
    this.#traits ??= lineTraits(this.#text, this.length);
    return this.#traits;
  }

  /** Whether it is empty or blank. */
  isBlank(index: number): boolean {
    return this.indentOf(index) >= this.lengthOf(index);
  }

  lengthOf(index: number): number {
    return (this.#starts[index + 1] ?? 0) - (this.#starts[index] ?? 0) - 1;
  }

  /** How many blanks a line begins with. */
  indentOf(index: number): number {
    const start = this.#starts[index] ?? 0;
    const end = (this.#starts[index + 1] ?? 0) - 1;
    let at = start;
    while (at < end && this.#text.charCodeAt(at) <= SPACE) at += 1;
    return at - start;
  }

  /** The character of a line at a position, as a number; 10 behind its end. */
  codeAt(index: number, position: number): number {
    return this.#text.charCodeAt((this.#starts[index] ?? 0) + position);
  }

  startsWith(index: number, word: string, position: number): boolean {
    return this.#text.startsWith(word, (this.#starts[index] ?? 0) + position);
  }

  /** Whether all of them together have at most so many characters. */
  fit(chars: number): boolean {
    let left = chars + 1;
    for (let index = 0; index < this.length && left >= 0; index += 1) left -= this.at(index).length + 1;
    return left >= 0;
  }

  /** Whether a word stands in any line. */
  include(word: string): boolean {
    return this.#text.includes(word);
  }
}

const SPACE = 32;

function startsOfLines(text: string): Int32Array {
  let starts = new Int32Array(1024);
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (count + 1 >= starts.length) {
      const longer = new Int32Array(starts.length * 2);
      longer.set(starts);
      starts = longer;
    }
    starts[count] = at + 1;
    count += 1;
  }
  starts[count] = text.length + 1;
  return starts.subarray(0, count + 1);
}
