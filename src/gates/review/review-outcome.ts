import {
  byUrgency,
  countFindings,
  describeFinding,
  type Finding,
  type ReviewReport,
} from "../../core/finding.ts";
import { projectPath } from "../../core/path.ts";
import { openFindings, skippedFindings } from "../../core/review-slot.ts";
import { sheetName } from "../../machine/state/findings.ts";
import type { Happened } from "../outcome-of.ts";
import type { ReviewRun } from "./review-run.ts";
import type { SlotResult } from "./run-slot.ts";

type Answered = Extract<SlotResult, { kind: "answered" }>;
type Unavailable = Extract<SlotResult, { kind: "unavailable" }>;

/** What a review came to, from what its slots came to. */
export function reviewOutcome(run: ReviewRun, results: readonly SlotResult[]): Happened {
  if (results.some(({ kind }) => kind === "cancelled")) {
    return { kind: "cancelled", detail: "the review was ended before it was done" };
  }
  const { gate } = run.planned;
  const answered = results.filter((result) => result.kind === "answered");
  const unavailable = results.filter((result) => result.kind === "unavailable");
  const blocking = answered.filter(({ step }) => step !== "spent").flatMap(({ slot }) => openFindings(slot));
  const extras = { ...logOf(run, results), review: reportOf(run, answered) };
  if (blocking.length > 0)
    return { kind: "failed", detail: failure(run, answered, once(blocking)), ...extras };
  const missing = unavailable.map(describeUnavailable);
  if (unavailable.length > 0 && (gate.onUnavailable === "block" || answered.length === 0)) {
    const blocks = gate.onUnavailable === "block";
    return { kind: "unavailable", detail: missing.join("; "), blocks, ...extras };
  }
  const unseen = isUnseen(answered)
    ? [`stopped asking after ${gate.maxRounds} rounds, the latest changes were not reviewed`]
    : [];
  const warnings = [...unseen, ...answered.flatMap((one) => warningsOf(one, gate.maxRounds)), ...missing];
  return { kind: "passed", ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }), ...extras };
}

function failure(run: ReviewRun, answered: readonly Answered[], findings: readonly Finding[]): string {
  const round = Math.max(...answered.map(({ slot }) => slot.round));
  const remarks = answered.flatMap(({ remark }) => remark ?? []);
  return [`${countFindings(findings)}, round ${round} of ${run.planned.gate.maxRounds}`, ...remarks].join(
    "; ",
  );
}

/** Everything that was let through and that a person should know. */
function warningsOf({ slot, remark }: Answered, maxRounds: number): readonly string[] {
  const skipped = skippedFindings(slot).map(
    (finding) => `skipped: ${describeFinding(finding)} (${finding.result.trim()})`,
  );
  const open = openFindings(slot).toSorted(byUrgency).map(describeFinding);
  return [
    ...(open.length === 0
      ? []
      : [`stopped asking after ${maxRounds} rounds, still open: ${open.join(", ")}`]),
    ...skipped,
    ...(remark === undefined ? [] : [remark]),
  ];
}

/** The change went past every slot: nothing was open, and no rounds are left to look at it. */
function isUnseen(answered: readonly Answered[]): boolean {
  return answered.length > 0 && answered.every(({ step, changed }) => step === "rest" && changed);
}

function describeUnavailable({ slot, detail }: Unavailable): string {
  return `no reviewer for slot ${slot}: ${detail}`;
}

function reportOf({ planned, context }: ReviewRun, answered: readonly Answered[]): ReviewReport {
  const withOpen = answered.filter(({ slot }) => openFindings(slot).length > 0);
  return {
    open: once(withOpen.flatMap(({ slot }) => openFindings(slot))).toSorted(byUrgency),
    skipped: once(answered.flatMap(({ slot }) => skippedFindings(slot))),
    sheets: withOpen.map(({ slot }) => projectPath(`${context.logDir}/${sheetName(planned.id, slot.slot)}`)),
  };
}

/** What two slots have both found is one finding. */
function once(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [finding.id, finding])).values()];
}

function logOf({ context }: ReviewRun, results: readonly SlotResult[]) {
  const name = results.flatMap((result) => ("logName" in result ? (result.logName ?? []) : []))[0];
  return name === undefined ? {} : { logPath: projectPath(`${context.logDir}/${name}`) };
}
