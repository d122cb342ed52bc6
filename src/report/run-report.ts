import { type Finding, isAtLeast } from "../gates/review/finding.ts";
import type { GateOutcome } from "../gates/outcome.ts";
import type { Problem } from "../feedback/problem.ts";

/** A problem, and whether the change brought it, where the gate was compared with an earlier tree. */
export interface ReportedProblem extends Problem {
  readonly isNew?: boolean;
}

/** What every report of a run is made from: the gates, and the problems found in the output of each, by the gate's id. */
export interface RunReport {
  readonly outcomes: readonly GateOutcome[];
  readonly problems: Readonly<Record<string, readonly ReportedProblem[]>>;
}

/** A red gate whose output named no problem is itself the problem; the problems of a review are its open findings. */
export function problemsOf({ problems }: RunReport, { id, review }: GateOutcome): readonly ReportedProblem[] {
  const named = problems[id] ?? [];
  return named.length > 0 ? named : (review?.open.map(findingProblem) ?? []);
}

function findingProblem({ file, line, priority, issue, fix }: Finding): Problem {
  return {
    file,
    line: line ?? undefined,
    severity: isAtLeast(priority, "high") ? "error" : "warning",
    message: issue.replace(/\s+/g, " ").trim(),
    excerpt: fix || undefined,
  };
}

export function blockingProblemsOf(report: RunReport, outcome: GateOutcome): readonly ReportedProblem[] {
  return problemsOf(report, outcome).filter(({ isNew }) => isNew !== false);
}

/** What a red gate says failed: errors, or warnings where it has nothing else. */
export function failuresIn(report: RunReport, outcome: GateOutcome): readonly ReportedProblem[] {
  const problems = blockingProblemsOf(report, outcome);
  const errors = problems.filter(({ severity }) => severity === "error");
  return errors.length > 0 ? errors : problems;
}
