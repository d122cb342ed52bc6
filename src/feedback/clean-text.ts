/** What a person would have seen on a terminal, line by line: no escape codes, no overwritten progress, no control characters. */
export function cleanLines(raw: string): readonly string[] {
  const visible = raw.includes("\u001B") || raw.includes("\u009B") ? raw.replace(ESCAPE_CODES, "") : raw;
  const text = visible.replace(CONTROLS, "").replaceAll("\r\n", "\n");
  const lines = text.split("\n");
  return text.includes("\r") ? lines.map(lastWritten) : lines;
}

/** The same as one text. */
export function cleanText(raw: string): string {
  return cleanLines(raw).join("\n");
}

/** OSC, DCS and other strings with a terminator; CSI sequences; two-character escapes; a lone escape. */
const ESCAPE_CODES =
  /\u001B[\]PX^_][^\u0007\u001B\n]*(?:\u0007|\u001B\\)?|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?/g;

const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\uFEFF]/g;

/** A carriage return starts the line again: the last thing written on a line is what stays. */
function lastWritten(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((part) => part.trim() !== "") ?? "";
}
