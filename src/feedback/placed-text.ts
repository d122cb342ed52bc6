/** A line that begins with a place: `file:line:column: rest`, `file(line,column): rest` and their relatives. */
export interface PlacedText {
  /** Of the line in the log. */
  readonly index: number;
  readonly indent: number;
  /** A severity before the place: `[error] src/a.js:1`. */
  readonly word: string | undefined;
  readonly file: string;
  readonly line: string;
  readonly column: string | undefined;
  /** What is said about the place; may be empty. */
  readonly rest: string;
}

/** Reads the place a line begins with, if it does. */
export function placedText(text: string, index: number): PlacedText | undefined {
  if (!NUMBER_AFTER_NAME.test(text)) return undefined;
  const found = PLACE.exec(text);
  if (found === null) return undefined;
  // Numbered, not named: this runs on every line of ten megabytes.
  const [, indent = "", word, file = "", line, column, lineInside = "", columnInside, rest = ""] = found;
  if (!isFileName(file)) return undefined;
  return {
    index,
    indent: indent.length,
    word,
    file,
    line: line ?? lineInside,
    column: column ?? columnInside,
    rest,
  };
}

/** A name with an extension; not a host, a time, a version or a URL. */
export function isFileName(text: string): boolean {
  return FILE_NAME.test(text) && !HOST_NAME.test(text);
}

const NUMBER_AFTER_NAME = /\w(?::\[?|\()\d/;

const PLACE =
  /^(\s{0,12})(?:\[?(error|warning|warn|fatal|[ew](?=:))\]?:?(?: in)? +)?((?:[A-Za-z]:)?\S+?)(?::(\d{1,7})(?::(\d{1,5}))?(?:[-:]\d+(?::\d+)?)?|:?[[(](\d{1,7})(?:[,:](\d{1,5}))?(?:[,:-]\d+)*[\])])(?![\w.])[:,]?\s*(?:- +)?(.*)$/i;

const FILE_NAME =
  /^(?!https?:)(?:file:\/\/)?(?:[A-Za-z]:)?(?:[^:"'`<>|*?=,;]*[\\/])?(?:[^\\/:"'`<>|*?=,;]*[A-Za-z_)\]-][^\\/:"'`<>|*?=,;]*\.[A-Za-z][\w+-]{0,11}|\.?[A-Za-z]+rc|(?:Make|Docker|Rake|Gem|Jenkins|Just|Brew|Vagrant)file)$/;

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
  if (!/\d/.test(text)) return undefined;
  for (const found of text.matchAll(ANYWHERE)) {
    const { file = "", line = "", column } = placeGroups(found);
    if (isFileName(file)) return { file, line, column, at: found.index, length: found[0].length };
  }
  return undefined;
}

/** `file:1:2`, `file(1,2)`, `file (1:2)`, `file 1:2`, `"file", line 1`, `file line 1`, `file: line 1, col 2`, `line: 1 file`, `file @ 1`. */
const ANYWHERE =
  /(?<![\w./@-])(?:(?:file:\/\/)?(?<one>(?:[A-Za-z]:)?[\w@./\\~+-]{1,300}):(?<line1>\d{1,7})(?::(?<column1>\d{1,5}))?(?![\w.])|(?<two>(?:[A-Za-z]:)?[\w@./\\~+-]{1,300}):? ?[[(](?<line2>\d{1,7})(?:[,:] ?(?<column2>\d{1,5}))?[^\s\])]{0,12}[\])]|"?(?<three>(?:[A-Za-z]:)?[\w@./\\~+-]{1,300})"? (?<line3>\d{1,7}):(?<column3>\d{1,5})(?![\w.])|"?(?<four>(?:[A-Za-z]:)?[\w@./\\~+-]{1,300})"?[,:]?(?: at)? line (?<line4>\d{1,7})(?:,? col(?:umn)? (?<column4>\d{1,5}))?|line: (?<line5>\d{1,7}) (?<five>[\w@./\\~+-]{1,300})|(?<six>[\w@./\\~+-]{1,300}) @ (?<line6>\d{1,7}))/g;

function placeGroups({ groups = {} }: RegExpMatchArray): { file?: string; line?: string; column?: string } {
  const number = (["one", "two", "three", "four", "five", "six"] as const).findIndex(
    (name) => groups[name] !== undefined,
  );
  const name = ["one", "two", "three", "four", "five", "six"][number] ?? "one";
  const { [name]: file, [`line${number + 1}`]: line, [`column${number + 1}`]: column } = groups;
  return {
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}
