/** A line that begins with a place: `file:line:column: rest`, `file(line,column): rest` and their relatives. */
export interface PlacedText {
  readonly indent: number;
  /** A severity before the place: `[error] src/a.js:1`. */
  readonly word?: string;
  readonly file: string;
  readonly line: string;
  readonly column?: string;
  /** What is said about the place; may be empty. */
  readonly rest: string;
}

/** Reads the place a line begins with, if it does. */
export function placedText(line: string): PlacedText | undefined {
  if (!NUMBER_AFTER_NAME.test(line)) return undefined;
  const found = PLACE.exec(line)?.groups;
  if (found === undefined) return undefined;
  const { indent = "", word, file = "", rest = "" } = found;
  if (!isFileName(file)) return undefined;
  const column = found["column"] ?? found["columnInside"];
  return {
    indent: indent.length,
    ...(word === undefined ? {} : { word }),
    file,
    line: found["line"] ?? found["lineInside"] ?? "",
    ...(column === undefined ? {} : { column }),
    rest,
  };
}

/** A name with an extension; not a host, a time, a version or a URL. */
export function isFileName(text: string): boolean {
  return FILE_NAME.test(text) && !HOST_NAME.test(text);
}

const NUMBER_AFTER_NAME = /\w(?::\[?|\()\d/;

const PLACE =
  /^(?<indent>\s{0,12})(?:\[?(?<word>error|warning|warn|fatal)\]?:?(?: in)? +)?(?<file>(?:[A-Za-z]:)?\S+?)(?::(?<line>\d{1,7})(?::(?<column>\d{1,5}))?(?:[-:]\d+(?::\d+)?)?|:?[[(](?<lineInside>\d{1,7})(?:[,:](?<columnInside>\d{1,5}))?(?:[,:-]\d+)*[\])])(?![\w.])[:,]?\s*(?:- +)?(?<rest>.*)$/i;

const FILE_NAME =
  /^(?!https?:)(?:file:\/\/)?(?:[A-Za-z]:)?(?:[^:"'`<>|*?=,;]*[\\/])?(?:[^\\/:"'`<>|*?=,;]*[A-Za-z_)\]-][^\\/:"'`<>|*?=,;]*\.[A-Za-z][\w+-]{0,11}|\.?[A-Za-z]+rc|(?:Make|Docker|Rake|Gem|Jenkins|Just|Brew|Vagrant)file)$/;

const HOST_NAME = /^[\w.-]+\.(?:com|org|net|io|dev|local|localhost|internal)$/i;
