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
  const name = text.startsWith("file://") ? text.replaceAll("'", "") : text; // the one quote that URLs have as it is
  return FILE_NAME.test(name) && !HOST_NAME.test(name);
}

const NUMBER_AFTER_NAME = /\w(?::\[?|\()\d/;

const PLACE =
  /^(\s{0,12})(?:\[?(error|warning|warn|fatal|[ew](?=:))\]?:?(?: in)? +)?((?:[A-Za-z]:)?\S+?)(?::(\d{1,7})(?::(\d{1,5}))?(?:[-:]\d+(?::\d+)?)?|:?[[(](\d{1,7})(?:[,:](\d{1,5}))?(?:[,:-]\d+)*[\])])(?![\w.])[:,]?\s*(?:- +)?(.*)$/i;

const FILE_NAME =
  /^(?!https?:)(?:file:\/\/)?(?:[A-Za-z]:)?(?:[^:"'`<>|*?=,;]*[\\/])?(?:[^\\/:"'`<>|*?=,;]*[A-Za-z_)\]-][^\\/:"'`<>|*?=,;]*\.[A-Za-z][\w+-]{0,11}|\.?[A-Za-z]+rc|(?:Make|Docker|Rake|Gem|Jenkins|Just|Brew|Vagrant)file)$/;

const HOST_NAME = /^[\w.-]+\.(?:com|org|net|io|dev|local|localhost|internal)$/i;
