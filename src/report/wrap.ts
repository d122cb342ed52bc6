import stringWidth from "string-width";

/**
 * Words in lines of so many columns; what follows the first line is indented. A word that is wider than a line stays whole. With
 * `rows`, what does not fit ends in an ellipsis.
 */
export function wrap(text: string, columns: number, indent = "", rows = Infinity): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const isFull = line.trim() !== "" && stringWidth(line) + 1 + stringWidth(word) > columns;
    if (isFull && lines.length + 1 >= rows) return [...lines, withEllipsis(line, columns)];
    if (isFull) lines.push(line);
    if (isFull) line = indent + word;
    else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The last word makes room where it has to. */
function withEllipsis(line: string, columns: number): string {
  const kept = stringWidth(line) + 2 > columns ? line.slice(0, line.lastIndexOf(" ")) : line;
  return `${kept} …`;
}

/** Text whose lines are each wrapped, below their own indentation. */
export function wrapText(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split("\n")
    .flatMap((line) => {
      const indent = /^ */.exec(line)?.[0] ?? "";
      return wrap(line.slice(indent.length), columns - indent.length).map((one) => indent + one);
    })
    .join("\n");
}
