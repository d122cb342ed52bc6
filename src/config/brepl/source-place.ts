import type { Diagnostic } from "../../core/diagnostic.ts";
import type { EdnProblem } from "./edn-cursor.ts";

/** Where and how the problems of one file are shown. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** Turns an offset into line, column and the line itself. */
export function toDiagnostic(
  source: Source,
  problem: EdnProblem,
  severity: Diagnostic["severity"] = "error",
): Diagnostic {
  const lineStart = source.text.lastIndexOf("\n", problem.start - 1) + 1;
  const nextNewline = source.text.indexOf("\n", problem.start);
  const lineEnd = nextNewline === -1 ? source.text.length : nextNewline;
  return {
    severity,
    file: source.file,
    line: source.text.slice(0, lineStart).split("\n").length,
    column: problem.start - lineStart + 1,
    message: problem.message,
    excerpt: source.text.slice(lineStart, lineEnd).replace(/\r$/, ""),
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
  };
}
