import type { ChangeSet } from "../../system/git/change-set.ts";
import { type GateOutcome, hasProblems } from "../../gates/outcome.ts";
import type { Plan } from "../../run/plan.ts";
import type { PlannedGuard } from "../../gates/gate.ts";
import type { RunResult } from "../../run/result.ts";
import { cutText } from "../../feedback/text/cut-text.ts";
import { problemsOf, type ReportedProblem, type RunReport } from "../run-report.ts";
import { line, outcomeJson } from "./json.ts";

export function runJson(command: string, result: RunResult, report: RunReport): string {
  const { status, message, outcomes, changes, plan } = result;
  const ran = result.kind === "ran" ? result : undefined;
  return line(command, {
    status,
    message,
    run: ran?.runNumber ?? null,
    outcomes: outcomes.map((outcome) => ({
      ...outcomeJson(outcome),
      problems: problemsJson(report, outcome),
    })),
    skipped: plan?.skipped ?? [],
    changes: changes === undefined ? null : changesJson(changes),
    consoleLog: ran?.consoleLogPath ?? null,
    attemptsLeft: ran?.attemptsLeft ?? null,
  });
}

export function detectJson(changes: ChangeSet, plan: Plan, guards: readonly PlannedGuard[]): string {
  const gates = plan.gates.map(({ id, gate, scope, workingDirectory, reason, files }) => ({
    id,
    kind: gate.kind,
    name: gate.name,
    scope,
    workingDirectory,
    reason,
    files: files.map(({ path }) => path),
  }));
  return line("detect", { changes: changesJson(changes), gates, guards, skipped: plan.skipped });
}

/** What a red gate found, as in every report; the log has what is cut. */
function problemsJson(report: RunReport, outcome: GateOutcome): readonly object[] {
  return hasProblems(outcome) ? problemsOf(report, outcome).map(problemJson) : [];
}

function problemJson(problem: ReportedProblem): object {
  const { file, line, column, severity, code, test, message, excerpt, isNew } = problem;
  return {
    file: file ?? null,
    line: line ?? null,
    column: column ?? null,
    severity,
    code: code ?? null,
    test: test ?? null,
    message,
    excerpt: excerpt === undefined ? null : cutText(excerpt, LONGEST_EXCERPT),
    isNew: isNew ?? null,
  };
}

const LONGEST_EXCERPT = 4_000;

function changesJson({ comparedTo, baseCommit, files, notes }: ChangeSet): object {
  return {
    comparedTo,
    baseCommit: baseCommit ?? null,
    files: files.map(({ path, change, from }) => ({ path, change, from: from ?? null })),
    notes,
  };
}
