import type { Diagnostic } from "../core/diagnostic.ts";
import { SourceText } from "./source-text.ts";

/** A Markdown file cut into its YAML head and its body. */
export interface FrontMatter {
  /** Absent when the file begins with its body. */
  readonly head?: SourceText;
  readonly body: string;
  readonly diagnostics: readonly Diagnostic[];
}

const FENCE = /^---[ \t]*$/;

/** Cuts a file at its `---` lines. */
export function splitFrontMatter(text: SourceText): FrontMatter {
  const lines = text.content.split(/\r?\n/);
  if (!FENCE.test(lines[0] ?? "")) return { body: lines.join("\n").trim(), diagnostics: [] };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end === -1) {
    const complaint = { message: "the front matter is not closed", hint: "end it with a line `---`" };
    return { body: "", diagnostics: [text.complain({ line: 1, column: 1 }, complaint)] };
  }
  const head = new SourceText(text.file, lines.slice(1, end).join("\n"), 1);
  return {
    head,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
    diagnostics: [],
  };
}
