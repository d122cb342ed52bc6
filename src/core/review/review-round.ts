import { type Finding, identify, isAtLeast, isSameFinding, type ReportedFinding } from "./finding.ts";
import type { Priority } from "../gate.ts";
import type { ProjectPath } from "../path.ts";

/** What a reviewer said in one round, already validated. */
export interface ReviewAnswer {
  readonly findings: readonly ReportedFinding[];
  readonly verified: readonly Verification[];
  /** Items that did not follow the contract. */
  readonly malformed: number;
}

/** A reviewer's word on an earlier finding. */
export interface Verification {
  readonly id: string;
  readonly fixed: boolean;
  readonly note: string;
}

/** What was open before a round, and which new findings it may bring. */
export interface RoundRules {
  /** Skipped findings stay skipped; the others are what the reviewer was asked to check. */
  readonly earlier: readonly Finding[];
  readonly confirmed: readonly string[];
  readonly minPriority: Priority;
  readonly isInside: (place: Place) => boolean;
  /** Round 1 of a review: earlier findings that are not raised again are dropped if they were skipped. */
  readonly startsOver: boolean;
}

export interface Place {
  readonly file: ProjectPath;
  readonly line: number | null;
}

/** What a round did not take over from the reviewer's answer, for the log and the user. */
interface Dropped {
  /** Outside of what the reviewer was asked about. */
  readonly outside: number;
  /** Below the priority that counts in this round. */
  readonly minor: number;
  readonly malformed: number;
}

export interface RoundResult {
  readonly findings: readonly Finding[];
  readonly confirmed: readonly string[];
  readonly dropped: Dropped;
}

/** Folds a reviewer's answer into the findings: fixes confirmed or reopened, new findings admitted or dropped. */
export function concludeRound(answer: ReviewAnswer, rules: RoundRules): RoundResult {
  const verdicts = new Map(answer.verified.map((verdict) => [verdict.id, verdict]));
  const checked = rules.earlier.map((finding) => checkedBy(verdicts, finding, rules.confirmed));
  const confirmed = [...rules.confirmed, ...rules.earlier.filter(isFixedBy(verdicts)).map(({ id }) => id)];
  const inside = answer.findings.filter(rules.isInside);
  const urgent = inside.filter(({ priority }) => isAtLeast(priority, rules.minPriority));
  const raised = urgent.map(identify).filter(isFirst);
  const admitted = raised.filter((finding) => !checked.some((earlier) => isSameFinding(earlier, finding)));
  const regressed = checked.filter(
    ({ id }) => rules.confirmed.includes(id) && raised.some((finding) => finding.id === id),
  );
  const kept = rules.startsOver ? checked.filter(isOpenOrRaised(raised)) : checked;
  return {
    findings: [
      ...kept.map((finding) => (regressed.includes(finding) ? reopened(finding) : finding)),
      ...admitted,
    ],
    confirmed: confirmed.filter((id) => !regressed.some((finding) => finding.id === id)),
    dropped: {
      outside: answer.findings.length - inside.length,
      minor: inside.length - urgent.length,
      malformed: answer.malformed,
    },
  };
}

function checkedBy(
  verdicts: ReadonlyMap<string, Verification>,
  finding: Finding,
  confirmed: readonly string[],
): Finding {
  if (finding.status === "skipped" || confirmed.includes(finding.id)) return finding;
  const verdict = verdicts.get(finding.id);
  if (verdict?.fixed === true) return { ...finding, status: "fixed", result: finding.result || verdict.note };
  return { ...finding, status: "new", result: verdict?.note || NOT_CONFIRMED };
}

const NOT_CONFIRMED = "the reviewer did not confirm a fix";

function isFixedBy(verdicts: ReadonlyMap<string, Verification>): (finding: Finding) => boolean {
  return ({ id, status }) => status !== "skipped" && verdicts.get(id)?.fixed === true;
}

/** The same finding reported twice in one answer counts once. */
function isFirst(finding: Finding, index: number, all: readonly Finding[]): boolean {
  return all.findIndex((other) => isSameFinding(other, finding)) === index;
}

function isOpenOrRaised(raised: readonly Finding[]): (finding: Finding) => boolean {
  return (earlier) =>
    earlier.status !== "skipped" || raised.some((finding) => isSameFinding(finding, earlier));
}

function reopened(finding: Finding): Finding {
  return { ...finding, status: "new", result: "it is back" };
}
