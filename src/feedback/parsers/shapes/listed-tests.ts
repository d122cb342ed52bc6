import type { Lines } from "../../text/lines.ts";
import type { Log } from "../../log.ts";
import { type IsThere, findPlace, isFileName } from "../../text/placed-text.ts";
import { type Caught, type Finding, type Parser, finding } from "../parser.ts";
import { type Section, headings } from "../sections.ts";

/** The list of failed tests that many runners end with: all that is left of a failure whose telling was cut out of the log. */
export const listedTests: Parser = { name: "listed", kind: "test", parse: parseListedTests };

const LISTED_TESTS_HEADING =
  /^\s*(?:(?<count>\d+) (?:failed|failures?|failing)|The following tests? FAILED|Failing (?:scenarios|tests|specs)|Failed (?:tests|specs|scenarios)|FAILURES|FAILED TESTS)\s*:?\s*$/i;
const LONGEST_LIST = 1000;

function parseListedTests(log: Log, isRead: (line: number) => boolean): readonly Finding[] {
  const { lines, beginning, numbered } = log;
  const starts = [...beginning("The following", "Failing", "Failed", "FAIL"), ...numbered].filter((line) =>
    LISTED_TESTS_HEADING.test(lines.at(line)),
  );
  return starts.flatMap((start) =>
    itemsBelow(lines, start, isRead).map((index) =>
      finding(() => describeListedTests(lines.at(index)), index),
    ),
  );
}

function itemsBelow(lines: Lines, start: number, isRead: (line: number) => boolean): readonly number[] {
  const items: number[] = [];
  const indent = indentOf(lines.at(start + 1));
  for (let index = start + 1; index < lines.length && items.length < LONGEST_LIST; index += 1) {
    const line = lines.at(index);
    if (line.trim() === "" || isRead(index) || indentOf(line) < indent || !isItem(line)) break;
    items.push(index);
  }
  return items;
}

function indentOf(line: string): number {
  return line.search(/\S/);
}

function isItem(line: string): boolean {
  return (
    line.length < 400 &&
    !/^\s*\d+ (?:passed|skipped|flaky|did not run|failed|tests?)\b|^\s*#|[.:]$/.test(line)
  );
}

function describeListedTests(line: string): Caught {
  const place = findPlace(line);
  const rest =
    place === undefined ? line : `${line.slice(0, place.at)} ${line.slice(place.at + place.length)}`;
  const test = rest
    .trim()
    .replace(/^(?:\d+ - |[-*•✗✘✖×] +|[›>] )|\s*[─━]{3,}$|\s*(?:=>|@|#)\s*(?:\.\/)?$|\s+\([A-Z][\w ]*\)$/g, "")
    .trim();
  return { file: place?.file, line: place?.line, column: place?.column, test, message: "failed" };
}

/** A file's name alone on a line, below it `line:column severity message rule`: ESLint's stylish form, and those who borrowed it. */
export const eslint: Parser = {
  name: "eslint",
  kind: "lint",
  parse: parseGrouped,
};

const ROW =
  /^\s+(?<line>\d{1,7}):(?<column>\d{1,5})\s+(?:(?<severity>error|warning|warn|info|✖|×|⚠|‼)\s+)?(?<said>\S.*)$/;

/** Columns are two blanks apart; Ruff and Stylelint put the rule at other ends. */
const RULE_LAST = /^(?<message>.*?)\s{2,}(?<code>[@\w][\w@/.()-]*)$|^(?<before>.*\S)\s+\((?<name>[\w-]+)\)$/;
const RULE_FIRST = /^(?<code>[A-Z]{1,4}\d{2,4})\s+(?:\[\*\]\s+)?(?<message>.*)$/;

function parseGrouped({ lines, numbered, isThere }: Log): readonly Finding[] {
  let file: string | undefined;
  let rowBefore = -1;
  return headings(lines, numbered, ROW).flatMap((row) => {
    const above = writtenAbove(lines, row.from);
    if (above !== rowBefore) file = headingFile(lines.at(above), isThere);
    rowBefore = row.from;
    return file === undefined ? [] : [rowFinding(row, file)];
  });
}

function rowFinding(row: Section, file: string): Finding {
  return finding(() => describeGrouped(row.heading, file), row.from);
}

function describeGrouped(row: Section["heading"], file: string): Caught {
  return { file, ...row, ...splitRule(row["said"] ?? "") };
}

function writtenAbove(lines: Lines, index: number): number {
  let above = index - 1;
  while (above >= 0 && lines.at(above).trim() === "") above -= 1;
  return above;
}

function headingFile(line: string, isThere: IsThere): string | undefined {
  const name = line.trim().replace(/:$/, "");
  return isFileName(name) && (!/\s/.test(name) || isThere(name)) ? name : undefined;
}

function splitRule(said: string): { message: string; code?: string | undefined } {
  const found = (RULE_FIRST.exec(said) ?? RULE_LAST.exec(said))?.groups;
  return {
    message: found?.["message"] ?? found?.["before"] ?? said,
    code: found?.["code"] ?? found?.["name"],
  };
}
