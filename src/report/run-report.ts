import { definedOnly } from "../core/defined-only.ts";
import { type Finding, isAtLeast } from "../core/review/finding.ts";
import type { GateOutcome } from "../core/outcome.ts";
import { type ProjectPath, projectPath } from "../core/path.ts";
import type { RecordedOutcome } from "../core/record/verdict-record.ts";
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
    ...(line === null ? {} : { line }),
    severity: isAtLeast(priority, "high") ? "error" : "warning",
    message: issue.replace(/\s+/g, " ").trim(),
    ...(fix === "" ? {} : { excerpt: fix }),
  };
}

/** The problems that keep a gate from passing: all of them, but for those that were there before. */
export function blockingProblemsOf(report: RunReport, outcome: GateOutcome): readonly ReportedProblem[] {
  return problemsOf(report, outcome).filter(({ isNew }) => isNew !== false);
}

/** A gate as its line in the ledger knows it, without the details that are gone. A scope may hold a colon: the id is only shown. */
export function outcomeInLedger(recorded: RecordedOutcome, logPath: ProjectPath | undefined): GateOutcome {
  const { id, kind, ms, warns, rests, flaky } = recorded;
  const [, gate = "check", scope = ".", name = id] =
    /^(check|review|repl|guard):([^:]*):(.*)$/s.exec(id) ?? [];
  const base = {
    id,
    gate: gate as GateOutcome["gate"], // one of the four
    name,
    scope: projectPath(scope),
    workingDirectory: projectPath(scope),
    warnOnly: warns === true,
    durationMs: ms,
    ...definedOnly({ logPath }),
  };
  const gone = gate === "guard" ? "the details are no longer kept" : "its log is no longer there";
  const detail = logPath === undefined ? gone : "its log has the details";
  if (kind === "passed") {
    if (rests === "reuse") return { ...base, kind, reused: "it had passed before" };
    const warning = gate === "guard" ? `something; ${detail}` : detail;
    return { ...base, kind, ...definedOnly({ rests, flaky, warning: warns ? warning : undefined }) };
  }
  if (kind === "timed-out") return { ...base, kind, afterMs: ms };
  return kind === "unavailable"
    ? { ...base, kind, detail, blocks: recorded.blocks === true }
    : { ...base, kind, detail };
}
