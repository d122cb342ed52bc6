import type { Log } from "../log.ts";
import { isFileName } from "../placed-text.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";

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

function parse({ lines }: Log): readonly Finding[] {
  const findings: Finding[] = [];
  let file: string | undefined;
  lines.forEach((line, index) => {
    const row = file === undefined ? undefined : ROW.exec(line)?.groups;
    if (row !== undefined) findings.push(rowFinding(file, row, index));
    else if (line.trim() !== "") file = headingFile(line);
  });
  return findings;
}

function rowFinding(file: string | undefined, row: Readonly<Record<string, string>>, index: number): Finding {
  return finding(() => ({ file, ...row, ...splitRule(row["said"] ?? "") }), index);
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
