import type { Diagnostic } from "../../core/diagnostic.ts";
import type { SourceText } from "../source-text.ts";
import type { EdnProblem } from "./edn-cursor.ts";

/** Turns a problem at an offset into a diagnostic with line and column. */
export function placeProblem(
  source: SourceText,
  { start, message, hint }: EdnProblem,
  severity: Diagnostic["severity"] = "error",
): Diagnostic {
  const lineStart = source.content.lastIndexOf("\n", start - 1) + 1;
  const line = source.content.slice(0, lineStart).split("\n").length;
  return source.complain({ line, column: start - lineStart + 1 }, { severity, message, hint });
}
