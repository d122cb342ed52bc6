import type { Lines } from "./lines.ts";

/** A place in a file, as a line begins with it. */
interface PlaceParts {
  readonly indent: number;
  /** A severity before the place: `[error] src/a.js:1`. */
  readonly word: string | undefined;
  readonly file: string;
  readonly line: string;
  readonly column: string | undefined;
}

/**
 * A line that begins with a place: `file:line:column: rest`, `file(line,column): rest` and their relatives. It keeps only its message,
 * for a log may have a hundred thousand; the place is read again when it is asked for.
 */
export class PlacedText {
  /** Of the line in the log. */
  readonly index: number;
  /** The message about the place; may be empty. */
  readonly rest: string;
  readonly #lines: Lines;
  readonly #shape: RegExp;

  constructor(lines: Lines, index: number, { rest, shape }: { rest: string; shape: RegExp }) {
    this.index = index;
    this.rest = rest;
    this.#lines = lines;
    this.#shape = shape;
  }

  get place(): PlaceParts {
    // Numbered, not named: this runs on every line of ten megabytes.
    const [, indent = "", word, file = "", line, column, lineInside = "", columnInside] =
      this.#shape.exec(this.#lines.at(this.index)) ?? [];
    return { indent: indent.length, word, file, line: line ?? lineInside, column: column ?? columnInside };
  }
}

/** Whether a path is of a file that exists; what tells a name with spaces from a sentence. */
export type IsThere = (path: string) => boolean;

/** Reads the place a line begins with, if it does. */
export function placedText(lines: Lines, index: number, spaced: SpacedPlaces): PlacedText | undefined {
  const text = lines.at(index);
  if (!NUMBER_AFTER_NAME.test(text)) return undefined;
  const plain = FILE_AND_REST.exec(text);
  const [, file = "", rest = ""] = plain ?? spaced.find(text) ?? [];
  if (!isFileName(file)) return undefined;
  return new PlacedText(lines, index, { rest, shape: plain === null ? SPACED_PLACE : PLACE });
}

/**
 * Places whose file has spaces in its name: only a file that exists is believed, `see main.c:3` is a sentence. A long log is not searched
 * for them to its end.
 */
export class SpacedPlaces {
  readonly #isThere: IsThere;
  #linesLeft = 3_000;

  constructor(isThere: IsThere) {
    this.#isThere = isThere;
  }

  find(text: string): RegExpExecArray | null {
    if (this.#linesLeft === 0) return null;
    this.#linesLeft -= 1;
    const found = SPACED_FILE_AND_REST.exec(text);
    return found !== null && isFileName(found[1] ?? "") && this.#isThere(found[1] ?? "") ? found : null;
  }
}

/** A name with an extension; not a host, a time, a version or a URL. */
export function isFileName(text: string): boolean {
  const name = text.startsWith("file://") ? text.replaceAll("'", "") : text; // the one quote that URLs have as it is
  return FILE_NAME.test(name) && !HOST_NAME.test(name) && !MEASURE.test(name);
}

const NUMBER_AFTER_NAME = /\w(?::\[?|\()\d/;

const NAME = String.raw`(?:[A-Za-z]:)?\S+?`;
const SPACED_NAME = String.raw`(?:[A-Za-z]:)?[^\s:"'()<>]+(?: [^\s:"'<>]+){1,8}?`;
const PLACE = placeShape(NAME, "(");
const SPACED_PLACE = placeShape(SPACED_NAME, "(");

/** Most places are only looked at for their file and for what is said about them. */
const FILE_AND_REST = placeShape(NAME, "(?:");
const SPACED_FILE_AND_REST = placeShape(SPACED_NAME, "(?:");

/** With groups for the file and the rest, and for each other part when `open` begins a group. */
function placeShape(name: string, open: "(" | "(?:"): RegExp {
  const before = String.raw`^${open}\s{0,12})(?:vet: )?(?:\[?${open}error|warning|warn|fatal|[ew](?=:))\]?:?(?: in)? +)?`;
  const colons = String.raw`:${open}\d{1,7})(?::${open}\d{1,5}))?(?:[-:]\d+(?::\d+)?)?`;
  const brackets = String.raw`:?[[(]${open}\d{1,7})(?:[,:]${open}\d{1,5}))?(?:[,:-]\d+)*[\])]`;
  const rest = String.raw`(?![\w.])[:,]?\s*(?:- +)?(.*)$`;
  return new RegExp(`${before}(${name})(?:${colons}|${brackets})${rest}`, "i");
}

const FILE_NAME =
  /^(?!https?:)(?:file:\/\/)?(?:[A-Za-z]:)?(?:[^:"'`<>|*?=,;]*[\\/])?(?:[^\\/:"'`<>|*?=,;]*[^\\/:"'`<>|*?=,;.\s][^\\/:"'`<>|*?=,;]*\.[A-Za-z][\w+-]{0,11}|\.?[A-Za-z]+rc|(?:Make|Docker|Rake|Gem|Jenkins|Just|Brew|Vagrant)file)$/;

/** `0.js` is a file; `1.5s`, `0.ms` and `1.0.rc` measure something. */
const MEASURE = /^[\d.]+\.?(?:[mnu]?s|m|h|min|secs?|[KMG]?i?B|k|x|rc|alpha|beta|dev)\d*$/i;

const HOST_NAME = /^[\w.-]+\.(?:com|org|net|io|dev|local|localhost|internal)$/i;

/** A place anywhere in a line. */
export interface FoundPlace {
  readonly file: string;
  readonly line: string;
  readonly column: string | undefined;
  /** Where it stands in the line. */
  readonly at: number;
  readonly length: number;
}

/** The first place a line shows, in one of the forms that tools use in the middle of a line. */
export function findPlace(text: string): FoundPlace | undefined {
  if (!MAY_HOLD_PLACE.test(text)) return undefined;
  ANYWHERE.lastIndex = 0;
  for (let found = ANYWHERE.exec(text); found !== null; found = ANYWHERE.exec(text)) {
    const form = GROUPS.find(([file]) => found?.[file] !== undefined) ?? GROUPS[0];
    const file = found[form[0]] ?? "";
    if (!isFileName(file)) continue;
    const { index, 0: all } = found;
    return { file, line: found[form[1]] ?? "", column: found[form[2]], at: index, length: all.length };
  }
  return undefined;
}

/** For each form, the groups of file, line and column. Numbered, not named: this runs on every line that may explain a failure. */
const GROUPS = [
  [1, 2, 3],
  [4, 5, 6],
  [7, 8, 9],
  [10, 11, 12],
  [14, 13, 99],
  [15, 16, 99],
] as const;

/** An extension, or a file that has none, with a number close behind it or before it. */
const MAY_HOLD_PLACE = /(?:\.[A-Za-z][\w+-]{0,11}|file)["']?(?::|,| ?[([]| |@)[ a-z@:([]{0,8}\d|line: \d/;

/** `file:1:2`, `file(1,2)`, `file (1:2)`, `file 1:2`, `"file", line 1`, `file line 1`, `file: line 1, col 2`, `line: 1 file`, `file @ 1`. */
const ANYWHERE =
  /(?<![\w./@-])(?:(?:file:\/\/)?((?:[A-Za-z]:)?[\w@./\\~+-]{1,300}):(\d{1,7})(?::(\d{1,5}))?(?![\w.])|((?:[A-Za-z]:)?[\w@./\\~+-]{1,300}):? ?[[(](\d{1,7})(?:[,:] ?(\d{1,5}))?[^\s\])]{0,12}[\])]|"?((?:[A-Za-z]:)?[\w@./\\~+-]{1,300})"? (\d{1,7}):(\d{1,5})(?![\w.])|"?((?:[A-Za-z]:)?[\w@./\\~+-]{1,300})"?[,:]?(?: at)? line (\d{1,7})(?:,? col(?:umn)? (\d{1,5}))?|line: (\d{1,7}) ([\w@./\\~+-]{1,300})|([\w@./\\~+-]{1,300}) @ (\d{1,7}))/g;
