import { type AtomValue, type EdnCursor, isBlank, isMacro } from "./edn-cursor.ts";

export type TokenReading =
  | { readonly ok: true; readonly atom: AtomValue }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

/** Reads a number, by the patterns of Clojure's own reader: radix, octal, hex, ratios, `N` and `M`. */
export function readNumber(token: string): TokenReading {
  const integer = INTEGER.exec(token);
  if (integer?.groups) return readInteger(token, integer.groups);
  const ratio = RATIO.exec(token);
  if (ratio) return readRatio(token, ratio);
  if (FLOAT.test(token) && !LEADING_ZERO.test(token)) {
    const kind = token.endsWith("M") ? "decimal" : "float";
    return { ok: true, atom: { kind, text: canonicalFloat(token) } };
  }
  return { ok: false, message: `"${token}" is not a number` };
}

export function readName(token: string): TokenReading {
  if (token === "nil") return { ok: true, atom: { kind: "nil" } };
  if (token === "true" || token === "false") {
    return { ok: true, atom: { kind: "boolean", value: token === "true" } };
  }
  const invalid = invalidName(token);
  if (invalid) return invalid;
  return token.startsWith(":")
    ? { ok: true, atom: { kind: "keyword", name: token.slice(1) } }
    : { ok: true, atom: { kind: "symbol", name: token } };
}

export function readCharacter(token: string): TokenReading {
  const value = token.length === 1 ? token : (NAMED_CHARACTERS[token] ?? numberedCharacter(token));
  if (value === undefined) return { ok: false, message: `\\${token} is not a character` };
  return { ok: true, atom: { kind: "character", value } };
}

export function readTagged(tag: "inst" | "uuid", text: string): TokenReading {
  if (tag === "uuid") {
    if (!UUID.test(text) || text.length > 36) return { ok: false, message: `"${text}" is not a UUID` };
    return { ok: true, atom: { kind: "uuid", text: text.toLowerCase() } };
  }
  if (!isTimestamp(text)) return { ok: false, message: `"${text}" is not an instant (RFC 3339)` };
  return { ok: true, atom: { kind: "instant", text } };
}

const INTEGER =
  /^(?<sign>[-+]?)(?:(?<decimal>0|[1-9]\d*)|0[xX](?<hex>[\da-fA-F]+)|0(?<octal>[0-7]+)|(?<radix>[1-9]\d?)[rR](?<digits>[\da-zA-Z]+))N?$/;
const LEADING_ZERO = /^[-+]?0\d+$/;
const RATIO = /^([-+]?\d+)\/(\d+)$/;
const FLOAT = /^[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?M?$/;

function readInteger(token: string, groups: Record<string, string>): TokenReading {
  const { sign, decimal, hex, octal, radix, digits } = groups;
  const size = magnitude({ decimal, hex, octal, radix, digits });
  if (size === undefined) return { ok: false, message: `"${token}" is not a number` };
  return { ok: true, atom: { kind: "integer", value: sign === "-" ? -size : size } };
}

function magnitude(written: Readonly<Record<string, string | undefined>>): bigint | undefined {
  if (written["decimal"] !== undefined) return BigInt(written["decimal"]);
  if (written["hex"] !== undefined) return BigInt(`0x${written["hex"]}`);
  if (written["octal"] !== undefined) return BigInt(`0o${written["octal"]}`);
  return inRadix(written["digits"] ?? "", Number(written["radix"]));
}

function inRadix(digits: string, radix: number): bigint | undefined {
  if (radix < 2 || radix > 36) return undefined;
  const values = Array.from(digits.toLowerCase(), (digit) => Number.parseInt(digit, 36));
  if (values.some((value) => value >= radix)) return undefined;
  return values.reduce((sum, value) => sum * BigInt(radix) + BigInt(value), 0n);
}

function readRatio(token: string, [, above = "0", below = "0"]: readonly string[]): TokenReading {
  const [numerator, denominator] = [BigInt(above.replace("+", "")), BigInt(below)];
  if (denominator === 0n) return { ok: false, message: `${token} divides by zero` };
  const common = greatestCommonDivisor(numerator < 0n ? -numerator : numerator, denominator);
  if (denominator === common) {
    return { ok: true, atom: { kind: "integer", value: numerator / denominator } };
  }
  return { ok: true, atom: { kind: "ratio", text: `${numerator / common}/${denominator / common}` } };
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

function canonicalFloat(token: string): string {
  return token.endsWith("M") ? token.replace("+", "") : String(Number(token));
}

function invalidName(token: string): TokenReading | undefined {
  const message = `"${token}" is not a keyword or symbol`;
  if (token.startsWith("::")) {
    return { ok: false, message, hint: "EDN has no ::keywords; write the namespace out" };
  }
  const match = NAME.exec(token);
  if (!match) return { ok: false, message };
  const [, namespace, name = ""] = match;
  const misplacedColon = namespace?.endsWith(":/") === true || name.endsWith(":") || token.includes("::");
  return misplacedColon ? { ok: false, message } : undefined;
}

const NAME = /^:?([^\d/].*\/)?(\/|[^\d/][^/]*)$/s;

function numberedCharacter(token: string): string | undefined {
  const unicode = /^u([\da-fA-F]{4})$/.exec(token)?.[1];
  const code = unicode === undefined ? octalCode(token) : Number.parseInt(unicode, 16);
  if (code === undefined || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return String.fromCharCode(code);
}

function octalCode(token: string): number | undefined {
  const octal = /^o([0-7]{1,3})$/.exec(token)?.[1];
  const code = Number.parseInt(octal ?? "", 8);
  return code <= 0o377 ? code : undefined;
}

const NAMED_CHARACTERS: Readonly<Record<string, string>> = {
  newline: "\n",
  space: " ",
  tab: "\t",
  return: "\r",
  backspace: "\b",
  formfeed: "\f",
};

const UUID = /^[\da-f]+(?:-[\da-f]+){4}$/i;
const TIMESTAMP =
  /^\d{4}(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(?:\.\d+)?)?)?)?)?)?(?:Z|[-+](\d\d):(\d\d))?$/;

function isTimestamp(text: string): boolean {
  const match = TIMESTAMP.exec(text);
  if (!match) return false;
  const month = Number(match[1] ?? 1);
  const daysOfMonth = new Date(Date.UTC(Number(text.slice(0, 4)), month, 0)).getUTCDate();
  const lastSecond = match[4] === "59" ? 60 : 59;
  const highest = [12, daysOfMonth, 23, 59, lastSecond, 23, 59];
  const lowest = [1, 1];
  return match
    .slice(1)
    .map((part, index) => Number(part ?? lowest[index] ?? 0))
    .every((part, index) => part >= (lowest[index] ?? 0) && part <= (highest[index] ?? 0));
}

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
