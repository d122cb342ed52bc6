/** A run of lines with a heading. */
export interface Section {
  readonly heading: Readonly<Record<string, string | undefined>>;
  readonly body: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** The last section that starts before a line; sections are in order. */
export function lastBefore(all: readonly Section[], line: number): Section | undefined {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((all[middle]?.from ?? line) < line) low = middle + 1;
    else high = middle;
  }
  return all[low - 1];
}

/** Cuts lines into sections: each starts at a line of the given shape and goes on to the next one, or to a line that ends it. */
export function sections(lines: readonly string[], start: RegExp, end?: RegExp): readonly Section[] {
  const found: Section[] = [];
  let open: { heading: Section["heading"]; from: number } | undefined;
  lines.forEach((line, index) => {
    const heading = start.exec(line)?.groups;
    if (heading === undefined && !(open !== undefined && end?.test(line) === true)) return;
    close(index);
    if (heading !== undefined) open = { heading, from: index };
  });
  close(lines.length);
  return found;

  function close(to: number): void {
    if (open === undefined) return;
    found.push({ ...open, body: lines.slice(open.from + 1, to), to });
    open = undefined;
  }
}
