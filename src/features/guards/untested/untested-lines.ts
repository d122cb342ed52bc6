import { languageOf } from "../languages.ts";
import type { Coverage } from "./read-coverage.ts";

export interface Range {
  readonly first: number;
  readonly last: number;
}

/** The changed lines of a file that can run and did not, as ranges. Lines between them that cannot run are part of one. */
export function untestedLines(
  path: string,
  changed: readonly { readonly line: number; readonly text: string }[],
  coverage: Coverage,
): readonly Range[] {
  const lines = linesOf(path, coverage);
  const isIdle = ({ line, text }: (typeof changed)[number]): boolean =>
    lines === undefined ? mayRun(path, text) : lines.get(line) === 0;
  const hasRun = (line: number): boolean => (lines?.get(line) ?? 0) > 0;
  const ranges: { first: number; last: number }[] = [];
  for (const { line } of changed.filter(isIdle)) {
    const before = ranges.at(-1);
    const gap = before === undefined ? [] : numbersBetween(before.last, line);
    if (before !== undefined && gap.length <= MOST_BETWEEN && !gap.some(hasRun)) before.last = line;
    else ranges.push({ first: line, last: line });
  }
  return ranges;
}

const MOST_BETWEEN = 3;

function numbersBetween(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.min(to - from - 1, MOST_BETWEEN + 1) }, (_, at) => from + 1 + at);
}

/** A report names files by an absolute path, one from some directory, or by their module. */
function linesOf(path: string, coverage: Coverage): ReadonlyMap<number, number> | undefined {
  for (const [name, lines] of coverage) {
    const file = name.replaceAll("\\", "/").replace(/^\.\//, "");
    if (file === path || file.endsWith(`/${path}`) || path.endsWith(`/${file}`)) return lines;
  }
  return undefined;
}

/** Whether a report would have named the file if something had loaded it. */
export function isCovered(path: string, coverage: Coverage): boolean {
  const extension = extensionOf(path);
  return (
    linesOf(path, coverage) !== undefined ||
    [...coverage.keys()].some((name) => extensionOf(name) === extension)
  );
}

function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf("."));
}

/** Of a file that no report knows: not what is only there for the reader, the compiler or the layout. */
function mayRun(path: string, text: string): boolean {
  const isComment = languageOf(path)?.comment.test(text) === true;
  return !isComment && /\w/.test(text) && !NEVER_RUNS.test(text);
}

const NEVER_RUNS =
  /^\s*(?:import\b|from\b.*\bimport\b|export\s+(?:type|interface|\*|\{)|(?:export\s+)?(?:declare|type|interface)\b|package\b|using\b|use\b|@|else\b[^;]*[{:]\s*$|(?:try|finally|end|do|then|begin)\b\W*$)/;
