import type { Log } from "../log.ts";
import { isFileName } from "../placed-text.ts";
import { type Caught, finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { type Section, headings } from "./sections.ts";

/** A file's name on a line of its own, below it `line:column severity message rule`: ESLint's stylish form, and those who borrowed it. */
export const eslint: Parser = {
  name: "eslint",
  kind: "lint",
  parse,
};

const ROW =
  /^\s+(?<line>\d{1,7}):(?<column>\d{1,5})\s+(?:(?<severity>error|warning|warn|info|✖|×|⚠|‼)\s+)?(?<said>\S.*)$/;

/** Columns are two blanks apart; Ruff and Stylelint put the rule at other ends. */
const RULE_LAST = /^(?<message>.*?)\s{2,}(?<code>[@\w][\w@/.()-]*)$|^(?<before>.*\S)\s+\((?<name>[\w-]+)\)$/;
const RULE_FIRST = /^(?<code>[A-Z]{1,4}\d{2,4})\s+(?:\[\*\]\s+)?(?<message>.*)$/;

function parse({ lines, numbered }: Log): readonly Finding[] {
  let file: string | undefined;
  let rowBefore = -1;
  return headings(lines, numbered, ROW).flatMap((row) => {
    const above = writtenAbove(lines, row.from);
    if (above !== rowBefore) file = headingFile(lines[above] ?? "");
    rowBefore = row.from;
    return file === undefined ? [] : [rowFinding(row, file)];
  });
}

function rowFinding(row: Section, file: string): Finding {
  return finding(() => describe(row.heading, file), row.from);
}

function describe(row: Section["heading"], file: string): Caught {
  return { file, ...row, ...splitRule(row["said"] ?? "") };
}

function writtenAbove(lines: readonly string[], index: number): number {
  let above = index - 1;
  while (above >= 0 && lines[above]?.trim() === "") above -= 1;
  return above;
}

const HEADING = /^\s*(?<name>\S+?):?\s*$/;

function headingFile(line: string): string | undefined {
  const name = HEADING.exec(line)?.groups?.["name"];
  return name !== undefined && isFileName(name) ? name : undefined;
}

function splitRule(said: string): { message: string; code?: string | undefined } {
  const found = (RULE_FIRST.exec(said) ?? RULE_LAST.exec(said))?.groups;
  return {
    message: found?.["message"] ?? found?.["before"] ?? said,
    code: found?.["code"] ?? found?.["name"],
  };
}
