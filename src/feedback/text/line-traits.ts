import { once } from "../../core/once.ts";

/**
 * What one look at every character says about a line, as bits: no line without a trait has the shape that needs it, so most lines are
 * never tried against a regular expression. A trait promises nothing: it stands for pairs of characters.
 */
export const TRAIT = {
  /** A control character that no terminal shows, beside escape and carriage return. */
  control: 1,
  /** A number right behind `:`, `(` or `[`. */
  number: 2,
  /** A number behind what may stand between it and a file's name. */
  spacedNumber: 4,
  /** `.` and a letter, as before an extension, or the end of `Makefile`. */
  named: 8,
  /** `error`, in most spellings. */
  error: 16,
  /** `fail`, `fatal`, `fault`. */
  fail: 32,
  /** What else a line that reports a failure may hold. */
  failure: 64,
  /** `=>`, `->`, `→` and `@`, before a place. */
  arrow: 128,
  /** `warn`, `Issue:`, `line`. */
  complaint: 256,
  /** `undefined reference`, `multiple definition`. */
  symbol: 512,
  /** A character that cannot be seen, or changes how others are seen. */
  invisible: 1024,
} as const;

/** C1 controls; direction marks and overrides; zero-width and other invisible characters. */
export const INVISIBLE_RANGES = [
  [0x80, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
] as const;

/** The traits of each line of a text. */
export function lineTraits(text: string, lineCount: number): Int32Array {
  const traits = new Int32Array(lineCount);
  const { classOf, traitsOfPair } = tables();
  let line = 0;
  let before = SPACE;
  let found = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === NEWLINE) {
      traits[line] = found;
      line += 1;
      found = 0;
      before = SPACE;
      continue;
    }
    const at = classOf[code] ?? 0;
    found |= traitsOfPair[(before << 7) | at] ?? 0;
    before = at;
  }
  traits[line] = found;
  return traits;
}

const NEWLINE = 10;
const SPACE = 32;

/** Every printable ASCII character is a class of its own; these hold the others, and 0 what needs no look. */
const CONTROL = 1;
const INVISIBLE = 2;
const CROSS = 3;
const ARROW = 4;

function classes(): Uint8Array {
  const classOf = new Uint8Array(65536);
  for (let code = 0; code < 128; code += 1) classOf[code] = code < SPACE || code === 127 ? CONTROL : code;
  for (const blank of "\t\r\u001B") classOf[blank.charCodeAt(0)] = SPACE;
  for (const [first, last] of INVISIBLE_RANGES) classOf.fill(INVISIBLE, first, last + 1);
  classOf.fill(INVISIBLE, 0xdb40, 0xdb44); // the first halves of tags
  for (const mark of "✖✗✘×❌") classOf[mark.charCodeAt(0)] = CROSS;
  classOf["→".charCodeAt(0)] = ARROW;
  return classOf;
}

const DIGITS = "0123456789";
const SMALL = "abcdefghijklmnopqrstuvwxyz";

/** Each trait by its pairs: any of the first characters, then any of the second. */
const PAIRS: readonly (readonly [trait: number, first: string, second: string])[] = [
  [TRAIT.number, ":([", DIGITS],
  [TRAIT.spacedNumber, `: ([@,${SMALL}`, DIGITS],
  [TRAIT.named, ".", SMALL + SMALL.toUpperCase()],
  [TRAIT.named, "l", "e"],
  [TRAIT.error, "r", "r"],
  [TRAIT.error, "R", "R"],
  [TRAIT.fail, "fF", "a"],
  [TRAIT.fail, "F", "A"],
  [TRAIT.failure, DIGITS, ")"],
  ...["ok", "xc", "mp", "mo", "gn", "ou", "Ki", "ni"].map(
    ([first = "", second = ""]) => [TRAIT.failure, first, second] as const,
  ),
  [TRAIT.arrow, "=-", ">"],
  [TRAIT.arrow, "@", " "],
  [TRAIT.complaint, "r", "n"],
  [TRAIT.complaint, "R", "N"],
  [TRAIT.complaint, "I", "s"],
  [TRAIT.complaint, "l", ":"],
  [TRAIT.complaint, "n", "e"],
  [TRAIT.symbol, "e", "f"],
];

/** Made when a log is first read: most stops read none. */
const tables = once(() => ({ classOf: classes(), traitsOfPair: traitsOfPairs() }));

function traitsOfPairs(): Int32Array {
  const traits = new Int32Array(128 * 128);
  const add = (first: number, second: number, trait: number): void => {
    traits[(first << 7) | second] = (traits[(first << 7) | second] ?? 0) | trait;
  };
  for (const [trait, first, second] of PAIRS)
    for (const one of first) for (const other of second) add(one.charCodeAt(0), other.charCodeAt(0), trait);
  for (let first = 0; first < 128; first += 1) {
    add(first, CONTROL, TRAIT.control);
    add(first, INVISIBLE, TRAIT.invisible);
    add(first, CROSS, TRAIT.failure);
    add(first, ARROW, TRAIT.arrow);
  }
  return traits;
}
