import type { Log } from "../log.ts";
import { findPlace } from "../placed-text.ts";
import { type Caught, finding } from "./compose.ts";

import type { Finding, Parser } from "./parser.ts";

/** The list of failed tests that many runners end with: all that is left of a failure whose telling was cut out of the log. */
export const listedTests: Parser = { name: "listed", kind: "test", parse };

const HEADING =
  /^\s*(?:(?<count>\d+) (?:failed|failures?|failing)|The following tests? FAILED|Failing (?:scenarios|tests|specs)|Failed (?:tests|specs|scenarios)|FAILURES|FAILED TESTS)\s*:?\s*$/i;
const LONGEST_LIST = 1000;

function parse(log: Log, isRead: (line: number) => boolean): readonly Finding[] {
  const { lines, beginning, numbered } = log;
  const starts = [...beginning("The following", "Failing", "Failed", "FAIL"), ...numbered].filter((line) =>
    HEADING.test(lines[line] ?? ""),
  );
  return starts.flatMap((start) =>
    itemsBelow(lines, start, isRead).map((index) => finding(() => describe(lines[index] ?? ""), index)),
  );
}

function itemsBelow(
  lines: readonly string[],
  start: number,
  isRead: (line: number) => boolean,
): readonly number[] {
  const items: number[] = [];
  const indent = indentOf(lines[start + 1]);
  for (let index = start + 1; index < lines.length && items.length < LONGEST_LIST; index += 1) {
    const line = lines[index] ?? "";
    if (line.trim() === "" || isRead(index) || indentOf(line) < indent || !isItem(line)) break;
    items.push(index);
  }
  return items;
}

function indentOf(line: string | undefined): number {
  return line?.search(/\S/) ?? 0;
}

/** A name or a place, not a sentence or another sum. */
function isItem(line: string): boolean {
  return (
    line.length < 400 &&
    !/^\s*\d+ (?:passed|skipped|flaky|did not run|failed|tests?)\b|^\s*#|[.:]$/.test(line)
  );
}

/** `1 - name (Failed)`, `file:1:2 › suite › name ───`, `name => file:1:2`. */
function describe(line: string): Caught {
  const place = findPlace(line);
  const rest =
    place === undefined ? line : `${line.slice(0, place.at)} ${line.slice(place.at + place.length)}`;
  const test = rest
    .trim()
    .replace(/^(?:\d+ - |[-*•✗✘✖×] +|[›>] )|\s*[─━]{3,}$|\s*(?:=>|@|#)\s*(?:\.\/)?$|\s+\([A-Z][\w ]*\)$/g, "")
    .trim();
  return { file: place?.file, line: place?.line, column: place?.column, test, message: "failed" };
}
