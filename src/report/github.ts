import { describeOutcome, type GateOutcome, isRed } from "../gates/outcome.ts";
import { problemLine, type Problem } from "../feedback/problem.ts";
import { blockingProblemsOf, type RunReport } from "./run-report.ts";

/** Workflow commands that make GitHub Actions show each problem at its line. */
export function githubAnnotations(report: RunReport): string {
  const commands = report.outcomes.filter(isRed).flatMap((outcome) => {
    const problems = blockingProblemsOf(report, outcome);
    if (problems.length > 0) return problems.map((problem) => annotation(outcome, problem));
    return [
      command(outcome.warnOnly ? "warning" : "error", { title: outcome.name }, describeOutcome(outcome)),
    ];
  });
  return commands.map((line) => `${line}\n`).join("");
}

function annotation(
  outcome: GateOutcome,
  { file, line, column, severity, code, test, message }: Problem,
): string {
  const title = [outcome.name, test ?? code].filter(Boolean).join(": ");
  return command(outcome.warnOnly ? "warning" : severity, { file, line, col: column, title }, message);
}

function command(
  name: "error" | "warning",
  properties: Readonly<Record<string, string | number | undefined>>,
  message: string,
): string {
  const given = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) => `${key}=${escapeData(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`,
    );
  return `::${name} ${given.join(",")}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

const MOST_LISTED = 100;
const LONGEST_MESSAGE = 300;

/** Markdown for the step's summary: every gate, below it the problems of the red ones. */
export function githubSummary(report: RunReport): string {
  const rows = report.outcomes.map((outcome) => {
    const mark = outcome.kind === "passed" ? "✅" : isRed(outcome) ? "❌" : "⚪";
    return `| ${mark} | ${cell(outcome.id)} | ${cell(describeOutcome(outcome))} | ${(outcome.durationMs / 1000).toFixed(1)} s |`;
  });
  const lists = report.outcomes
    .filter(isRed)
    .flatMap((outcome) => problemList(outcome, blockingProblemsOf(report, outcome)));
  return ["## Gauntlet", "", "| | Gate | Result | Time |", "|---|---|---|---|", ...rows, ...lists, ""].join(
    "\n",
  );
}

function problemList(outcome: GateOutcome, problems: readonly Problem[]): readonly string[] {
  if (problems.length === 0) return [];
  const shown = problems
    .slice(0, MOST_LISTED)
    .map((problem) => `- ${code(problemLine(problem, LONGEST_MESSAGE))}`);
  const rest = problems.length - shown.length;
  return ["", `### ${outcome.id}`, "", ...shown, ...(rest > 0 ? [`- … and ${rest} more`] : [])];
}

/** A fence longer than any inside, so that the text stays text. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`).replaceAll("\n", " ");
}
