import { type EdnCursor, isBlank, isMacro } from "./edn-cursor.ts";

/** Reads a string from its opening quote to behind its closing one. */
export function readString(cursor: EdnCursor): string {
  const start = cursor.offset++;
  let value = "";
  for (;;) {
    const character = cursor.peek();
    if (character === "") {
      cursor.giveUp(start, "this string is never closed");
      return value;
    }
    if (character === "\\") value += readEscape(cursor);
    else cursor.offset++;
    if (character === '"') return value;
    if (character !== "\\") value += character;
  }
}

function readEscape(cursor: EdnCursor): string {
  const start = cursor.offset;
  const letter = cursor.peek(1);
  cursor.offset += letter === "" ? 1 : 2;
  const simple = ESCAPES[letter];
  if (simple !== undefined) return simple;
  if (letter === "u") return readUnicode(cursor, start);
  if (/\d/.test(letter)) return readOctal(cursor, start);
  if (letter !== "") {
    cursor.report(start, `\\${letter} is not an escape of EDN strings`, ESCAPE_HINT);
  }
  return "";
}

function readUnicode(cursor: EdnCursor, start: number): string {
  const digits = cursor.text.slice(cursor.offset, cursor.offset + 4);
  if (!/^[\da-fA-F]{4}$/.test(digits)) {
    cursor.report(start, "\\u needs four hexadecimal digits");
    return "";
  }
  cursor.offset += 4;
  return String.fromCharCode(Number.parseInt(digits, 16));
}

function readOctal(cursor: EdnCursor, start: number): string {
  const digits = octalDigits(cursor.text.slice(start + 1, start + 4));
  const code = /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
  if (!(code <= 0o377)) {
    cursor.report(start, `\\${digits} is not an octal escape`, "one to three digits, \\0 to \\377");
    return "";
  }
  cursor.offset = start + 1 + digits.length;
  return String.fromCharCode(code);
}

/** An octal escape is at most three digits long and ends early only at a blank or at a macro character. */
function octalDigits(next: string): string {
  const end = Array.from(next).findIndex((character) => isBlank(character) || isMacro(character));
  return end === -1 ? next : next.slice(0, end);
}

const ESCAPE_HINT = 'use \\" \\\\ \\n \\t \\r \\b \\f \\uXXXX or octal; a backslash itself is written \\\\';
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
};
