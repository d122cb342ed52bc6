import type { Problem, Severity } from "../problem.ts";
import type { Finding } from "./parser.ts";

/** What a regular expression may have caught of a problem; `undefined` and empty text count as absent. */
export interface Caught {
  readonly file?: string | undefined;
  readonly line?: string | number | undefined;
  readonly column?: string | number | undefined;
  readonly severity?: string | undefined;
  readonly code?: string | undefined;
  readonly test?: string | undefined;
  readonly message?: string | undefined;
  readonly excerpt?: string | readonly string[] | undefined;
}

/** A problem from what was caught: numbers made, blanks trimmed, absent fields left out. */
export function composeProblem(caught: Caught): Problem {
  const excerpt =
    typeof caught.excerpt === "string" ? caught.excerpt : trimBlankLines(caught.excerpt ?? []).join("\n");
  return {
    ...present("file", caught.file?.trim()),
    ...present("line", positive(caught.line)),
    ...present("column", positive(caught.column)),
    severity: severityOf(caught.severity),
    ...present("code", caught.code?.trim()),
    ...present("test", caught.test?.trim()),
    message: caught.message?.replace(/\s+/g, " ").trim() || "failed",
    ...present("excerpt", excerpt.trimEnd()),
  };
}

/** The usual finding: one problem read from a run of lines. */
export function finding(caught: Caught, from: number, to: number = from + 1): Finding {
  return { problem: composeProblem(caught), from, to };
}

/** Every tool's words for the two severities we have. */
export function severityOf(word: string | undefined): Severity {
  return word !== undefined &&
    /^(?:w|c|r|i|warn|warning|info|information|style|convention|refactor|note|hint|advice)\b/i.test(word)
    ? "warning"
    : "error";
}

/** The lines without blank ones at either end, and without the indentation all of them share. */
export function trimBlankLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return [];
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const kept = lines.slice(first, last + 1);
  const indent = Math.min(...kept.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)));
  return kept.map((line) => line.slice(indent).trimEnd());
}

function positive(value: string | number | undefined): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function present<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  // A computed key widens to `{ [x: string]: V }`; it is exactly `K`.
  return value === undefined || value === "" ? {} : ({ [key]: value } as Partial<Record<K, V>>);
}
