import { describeOutcome, type GateOutcome, hasProblems, isRed } from "../gates/outcome.ts";
import { fingerprint, type Problem } from "../feedback/problem.ts";
import { problemsOf, type ReportedProblem, type RunReport } from "./run-report.ts";

/** SARIF 2.1.0, for code scanning and editors: a result for each problem, or one for a red gate without any. */
export function sarifReport(report: RunReport, version: string): string {
  const results = report.outcomes.filter(hasProblems).flatMap((outcome) => {
    const problems = problemsOf(report, outcome);
    const found = problems.map((problem) => problemResult(outcome, problem));
    const own = problems.length === 0 && isRed(outcome) ? [gateResult(outcome)] : found;
    return [...own, ...goneResults(outcome)];
  });
  const rules = [...new Set(results.map(({ ruleId }) => ruleId))].map((id) => ({ id }));
  const driver = { name: "agent-gauntlet", version, rules };
  return `${JSON.stringify({ $schema: SCHEMA, version: "2.1.0", runs: [{ tool: { driver }, results }] })}\n`;
}

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

function gateResult(outcome: GateOutcome) {
  return {
    ruleId: outcome.name,
    level: outcome.warnOnly ? ("warning" as const) : ("error" as const),
    message: { text: `${outcome.name} ${describeOutcome(outcome)}` },
    properties: { gate: outcome.id },
  };
}

/** What was there before and is fixed. */
function goneResults(outcome: GateOutcome) {
  const { baseline } = outcome;
  if (baseline?.kind !== "compared") return [];
  return baseline.gone.map((problem) => ({
    ...problemResult(outcome, problem),
    baselineState: "absent" as const,
  }));
}

function problemResult(outcome: GateOutcome, problem: ReportedProblem) {
  const { file, test, code, message, severity, isNew } = problem;
  const text = test === undefined ? message : `${test}: ${message}`;
  return {
    ruleId: code ?? outcome.name,
    level: outcome.warnOnly ? ("warning" as const) : severity,
    message: { text },
    baselineState: baselineState(isNew),
    locations: file === undefined ? undefined : [{ physicalLocation: physicalLocation(file, problem) }],
    partialFingerprints: { "gauntletProblem/v1": fingerprint(problem) },
    properties: { gate: outcome.id, test },
  };
}

function baselineState(isNew: boolean | undefined) {
  if (isNew === undefined) return undefined;
  return isNew ? ("new" as const) : ("unchanged" as const);
}

function physicalLocation(file: string, { line, column }: Problem) {
  const region = line === undefined ? undefined : { startLine: line, startColumn: column };
  return { artifactLocation: { uri: uriOf(file) }, region };
}

function uriOf(file: string): string {
  const path = file.split("/").map(encodeURIComponent).join("/");
  return /^(?:\/|[A-Za-z]%3A)/.test(path) ? `file:///${path.replace(/^\//, "")}` : path;
}
