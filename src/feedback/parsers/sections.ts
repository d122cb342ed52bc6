import type { Lines } from "../text/lines.ts";
import { type Caught, type Finding, finding } from "./parser.ts";

/** A heading and the lines below it. A log may hold a hundred thousand, so it only knows where it is, and reads when asked. */
export class Section {
  readonly from: number;
  readonly to: number;
  readonly #lines: Lines;
  readonly #shape: RegExp;

  constructor(lines: Lines, shape: RegExp, { from, to }: { from: number; to: number }) {
    this.from = from;
    this.to = to;
    this.#lines = lines;
    this.#shape = shape;
  }

  get heading(): Readonly<Record<string, string | undefined>> {
    return this.#shape.exec(this.#lines.at(this.from))?.groups ?? {};
  }

  get body(): readonly string[] {
    return this.#lines.slice(this.from + 1, this.to);
  }
}

/** Those of the given lines that have a shape, as sections without a body. */
export function headings(lines: Lines, among: readonly number[], shape: RegExp): readonly Section[] {
  return among
    .filter((line) => shape.test(lines.at(line)))
    .map((from) => new Section(lines, shape, { from, to: from + 1 }));
}

/** Cuts lines into sections: each starts at one of the given lines and goes on to the next one, or to a line that ends it. */
export function sections(
  lines: Lines,
  among: readonly number[],
  { start, end }: { readonly start: RegExp; readonly end: RegExp },
): readonly Section[] {
  const starts = among.filter((line) => start.test(lines.at(line)));
  return starts.map((from, order) => {
    const next = starts[order + 1] ?? lines.length;
    let to = from + 1;
    while (to < next && !end.test(lines.at(to))) to += 1;
    return new Section(lines, start, { from, to });
  });
}

export function toFinding(describe: (section: Section) => Caught): (section: Section) => Finding {
  return (section) => finding(() => describe(section), section.from, section.to);
}

export function lastBefore(all: readonly Section[], line: number): Section | undefined {
  return all[countBefore(all.length, (index) => (all[index]?.from ?? line) < line) - 1];
}

export function lastBelow(numbers: readonly number[], limit: number): number | undefined {
  return numbers[countBefore(numbers.length, (index) => (numbers[index] ?? limit) < limit) - 1];
}

/** How many of so many, in order, come before: found by halving. */
export function countBefore(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
