import { once } from "../../once.ts";

/**
 * What one look at every character says about a line, as bits: no line without a trait has the shape that needs it, so most lines are
 * never tried against a regular expression. A trait promises nothing: it stands for pairs of characters.
 */
export const TRAIT = {
  /** A control character other than a tab or a carriage return. */
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
  /** A carriage return before its end: what stands before it was overwritten. */
  overwritten: 2048,
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

/** For each line of a text three numbers: where it starts and ends, its line end left out, counted from an offset, and its traits. */
export function lineTable(text: string, offset = 0): Int32Array {
  const table = new LineTable(offset);
  for (const codes of codesOf(text)) table.read(codes);
  return table.end();
}

const PIECE = 65536;

/**
 * The characters of a text as numbers, one piece of it at a time, in an array that the next piece overwrites: read from there they take
 * half the time that asking a long text for each of them takes.
 */
function* codesOf(text: string): Generator<Uint16Array> {
  const bytes = Buffer.alloc(2 * Math.min(PIECE, text.length));
  const codes = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  for (let from = 0; from < text.length; from += PIECE)
    yield codes.subarray(0, bytes.write(text.slice(from, from + PIECE), "utf16le") / 2);
}

class LineTable {
  #rows: Int32Array = new Int32Array(3 * 1024);
  #size = 0;
  /** Where the line starts that has not ended yet. */
  #start: number;
  /** How much was read. */
  #done: number;
  #before = SPACE;
  #found = 0;

  constructor(offset: number) {
    this.#start = offset;
    this.#done = offset;
  }

  read(codes: Uint16Array): void {
    const { classOf, traitsOfPair } = tables();
    const count = codes.length;
    let before = this.#before;
    let found = this.#found;
    for (let index = 0; index < count; index += 1) {
      const code = codes[index] ?? 0;
      if (code === NEWLINE) {
        this.#add(this.#done + index, before === RETURN ? 1 : 0, found);
        before = SPACE;
        found = 0;
        continue;
      }
      const at = code < 128 ? code : (classOf[code] ?? 0);
      found |= traitsOfPair[(before << 8) | at] ?? 0;
      before = at;
    }
    this.#before = before;
    this.#found = found;
    this.#done += count;
  }

  end(): Int32Array {
    this.#add(this.#done, 0, this.#before === RETURN ? this.#found | TRAIT.overwritten : this.#found);
    return this.#rows.subarray(0, this.#size);
  }

  #add(end: number, returns: number, found: number): void {
    if (this.#size === this.#rows.length) {
      const longer = new Int32Array(this.#rows.length * 2);
      longer.set(this.#rows);
      this.#rows = longer;
    }
    this.#rows[this.#size] = this.#start;
    this.#rows[this.#size + 1] = end - returns;
    this.#rows[this.#size + 2] = found;
    this.#size += 3;
    this.#start = end + 1;
  }
}

const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const DELETE = 127;

/** Every ASCII character is a class of its own; these hold the others. */
const OTHER = 128;
const INVISIBLE = 129;
const CROSS = 130;
const ARROW = 131;

function classes(): Uint8Array {
  const classOf = new Uint8Array(65536).fill(OTHER);
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
  [TRAIT.spacedNumber, `: \t([@,${SMALL}`, DIGITS],
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
  [TRAIT.arrow, "@", " \t"],
  [TRAIT.complaint, "r", "n"],
  [TRAIT.complaint, "R", "N"],
  [TRAIT.complaint, "I", "s"],
  [TRAIT.complaint, "l", ":"],
  [TRAIT.complaint, "n", "e"],
  [TRAIT.symbol, "e", "f"],
];

/** Made when a log is first read: most stops read none. */
const tables = once(() => ({ classOf: classes(), traitsOfPair: traitsOfPairs() }));

const CONTROLS = Array.from({ length: 128 }, (_, code) => code).filter(
  (code) => (code < SPACE && code !== TAB && code !== RETURN) || code === DELETE,
);

function traitsOfPairs(): Uint16Array {
  const traits = new Uint16Array(256 * 256);
  const add = (first: number, second: number, trait: number): void => {
    traits[(first << 8) | second] = (traits[(first << 8) | second] ?? 0) | trait;
  };
  for (const [trait, first, second] of PAIRS)
    for (const one of first) for (const other of second) add(one.charCodeAt(0), other.charCodeAt(0), trait);
  for (let first = 0; first <= ARROW; first += 1) {
    for (const control of CONTROLS) add(first, control, TRAIT.control);
    add(first, INVISIBLE, TRAIT.invisible);
    add(first, CROSS, TRAIT.failure);
    add(first, ARROW, TRAIT.arrow);
    add(RETURN, first, TRAIT.overwritten);
  }
  return traits;
}
