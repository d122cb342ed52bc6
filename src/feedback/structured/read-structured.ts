import type { FindingKind } from "../parsers/parser.ts";
import type { Problem } from "../problem.ts";
import { readJsonReport } from "./json-report.ts";
import { readXmlReport } from "./xml-report.ts";

/** A problem from a report written for machines. */
export interface ReportedProblem {
  readonly problem: Problem;
  readonly tool: string;
  readonly kind: FindingKind;
}

/**
 * Reads a report: JUnit or Checkstyle XML, SARIF, the JSON of ESLint, Jest, Playwright, pytest or cargo. `undefined` for anything else, so that a check whose
 * command prints its report instead of prose is understood too.
 */
export function readStructured(text: string): readonly ReportedProblem[] | undefined {
  const start = startOfReport(text);
  if (start === undefined) return undefined;
  const report = text.slice(start).trim();
  return report.startsWith("<") ? readXmlReport(report) : readJsonReport(report);
}

/** Runners print a line or two before the report. */
const REPORT = /^(?:\[\s*\{\s*"|\{\s*"|<\?xml |<testsuites?[\s>]|<checkstyle[\s>])/m;
const FARTHEST = 2000;

function startOfReport(text: string): number | undefined {
  return REPORT.exec(text.slice(0, FARTHEST))?.index;
}
