/** How a person lays out a text file: what an edit must imitate. */
export interface TextLayout {
  readonly eol: "\n" | "\r\n";
  /** One level. */
  readonly indent: string;
}

export const DEFAULT_LAYOUT: TextLayout = { eol: "\n", indent: "  " };

/** The line ends of the first line and the first indentation there is. */
export function detectLayout(text: string): TextLayout {
  const eol = /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : DEFAULT_LAYOUT.eol;
  const indent = /^([ \t]+)["[{]/m.exec(text)?.[1] ?? DEFAULT_LAYOUT.indent;
  return { eol, indent };
}

/** The white space that begins the line of `offset`. */
export function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

/** Moves every line but the first to the right, and gives all of them the wanted line ends. */
export function reindent(text: string, indent: string, eol: string): string {
  return text.split("\n").join(`${eol}${indent}`);
}
