import {
  type Finding,
  type FindingStatus,
  identify,
  isAtLeast,
  isSameFinding,
  type ReportedFinding,
} from "./finding.ts";
import type { Priority } from "../gate.ts";
import type { ProjectPath } from "../../path.ts";

export interface ReviewSlot {
  readonly gate: string;
  readonly slot: number;
  /** Rounds since the review started over. */
  readonly round: number;
  readonly reviewer: string;
  /** The work tree of the last round; null without a snapshot. */
  readonly tree: string | null;
  readonly findings: readonly Finding[];
  readonly confirmed: readonly string[];
}

export interface FindingAnswer {
  readonly status: FindingStatus;
  readonly result: string;
}

export type AskingStep =
  /** Ask about the whole change. */
  | { readonly kind: "find"; readonly carried: readonly Finding[] }
  /** Ask about what was open, and what changed since. */
  | { readonly kind: "verify"; readonly slot: ReviewSlot };

export type SlotStep =
  | AskingStep
  /** Nothing is open: do not ask. */
  | { readonly kind: "rest"; readonly slot: ReviewSlot }
  /** Something is open and nothing has changed: the answer would be the same. */
  | { readonly kind: "repeat"; readonly slot: ReviewSlot }
  /** All rounds are used. */
  | { readonly kind: "spent"; readonly slot: ReviewSlot };

export interface SlotFacts {
  /** A new prompt, or a change after everything had passed. */
  readonly startsOver: boolean;
  readonly changed: boolean;
  readonly maxRounds: number;
}

/** Takes over a status and a reason for known findings, nothing else. */
export function withAnswers(slot: ReviewSlot, answers: ReadonlyMap<string, FindingAnswer>): ReviewSlot {
  const findings = slot.findings.map((finding) => {
    const answer = answers.get(finding.id);
    if (answer === undefined || slot.confirmed.includes(finding.id)) return finding;
    return answered(finding, answer);
  });
  return { ...slot, findings };
}

function answered(finding: Finding, { status, result }: FindingAnswer): Finding {
  if (status === "new") return finding;
  if (status === "skipped" && result.trim() === "") return { ...finding, result: REASON_MISSING };
  return { ...finding, status, result };
}

const REASON_MISSING = "skipped without a reason: say why in result";

/** Unanswered findings, and fixes that no reviewer has confirmed. */
export function openFindings({ findings, confirmed }: ReviewSlot): readonly Finding[] {
  return findings.filter(({ id, status }) => status !== "skipped" && !confirmed.includes(id));
}

export function skippedFindings({ findings }: ReviewSlot): readonly Finding[] {
  return findings.filter(({ status }) => status === "skipped");
}

export function nextStep(slot: ReviewSlot | undefined, facts: SlotFacts): SlotStep {
  if (slot === undefined) return { kind: "find", carried: [] };
  if (facts.startsOver) {
    const carried = slot.findings.filter(({ id }) => !slot.confirmed.includes(id));
    return { kind: "find", carried };
  }
  if (openFindings(slot).length === 0) return { kind: "rest", slot };
  if (slot.round >= facts.maxRounds) return { kind: "spent", slot };
  return facts.changed ? { kind: "verify", slot } : { kind: "repeat", slot: withoutClaims(slot) };
}

/** A fix that changed nothing does not count. */
function withoutClaims(slot: ReviewSlot): ReviewSlot {
  const findings = slot.findings.map((finding) =>
    finding.status === "fixed" && !slot.confirmed.includes(finding.id)
      ? { ...finding, status: "new" as const, result: NOTHING_CHANGED }
      : finding,
  );
  return { ...slot, findings };
}

const NOTHING_CHANGED = "marked fixed, but nothing has changed since the last round";

/** Slots with nothing open are not asked while another is, but no change passes unseen while rounds are left. */
export function withSafetyLatch(
  steps: readonly SlotStep[],
  facts: readonly SlotFacts[],
): readonly SlotStep[] {
  if (steps.some(({ kind }) => kind === "find" || kind === "verify" || kind === "repeat")) return steps;
  const latched = steps.findIndex((step, index) => {
    const its = facts[index];
    return step.kind === "rest" && its?.changed === true && step.slot.round < its.maxRounds;
  });
  return steps.map((step, index) =>
    index === latched && step.kind === "rest" ? { kind: "verify", slot: step.slot } : step,
  );
}

export interface ReviewAnswer {
  readonly findings: readonly ReportedFinding[];
  readonly verified: readonly Verification[];
  readonly malformed: number;
}

export interface Verification {
  readonly id: string;
  readonly fixed: boolean;
  readonly note: string;
}

export interface RoundRules {
  /** Skipped ones stay skipped; the others are checked. */
  readonly earlier: readonly Finding[];
  readonly confirmed: readonly string[];
  readonly minPriority: Priority;
  readonly isInside: (place: Place) => boolean;
  /** In round 1, skipped findings that are not raised again are dropped. */
  readonly startsOver: boolean;
}

export interface Place {
  readonly file: ProjectPath;
  readonly line: number | null;
}

interface Dropped {
  readonly outside: number;
  readonly minor: number;
  readonly malformed: number;
}

export interface RoundResult {
  readonly findings: readonly Finding[];
  readonly confirmed: readonly string[];
  readonly dropped: Dropped;
}

export function concludeRound(answer: ReviewAnswer, rules: RoundRules): RoundResult {
  const verdicts = new Map(answer.verified.map((verdict) => [verdict.id, verdict]));
  const checked = rules.earlier.map((finding) => checkedBy(verdicts, finding, rules.confirmed));
  const fixed = rules.earlier.filter(
    ({ id, status }) => status !== "skipped" && verdicts.get(id)?.fixed === true,
  );
  const confirmed = [...rules.confirmed, ...fixed.map(({ id }) => id)];
  const inside = answer.findings.filter(rules.isInside);
  const urgent = inside.filter(({ priority }) => isAtLeast(priority, rules.minPriority));
  const raised = urgent.map(identify).filter(isFirst);
  const admitted = raised.filter((finding) => !checked.some((earlier) => isSameFinding(earlier, finding)));
  const regressed = checked.filter(
    ({ id }) => rules.confirmed.includes(id) && raised.some((finding) => finding.id === id),
  );
  const isRaised = (earlier: Finding) => raised.some((finding) => isSameFinding(finding, earlier));
  const kept = rules.startsOver
    ? checked.filter((earlier) => earlier.status !== "skipped" || isRaised(earlier))
    : checked;
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

/** Reported twice, a finding counts once. */
function isFirst(finding: Finding, index: number, all: readonly Finding[]): boolean {
  return all.findIndex((other) => isSameFinding(other, finding)) === index;
}

function reopened(finding: Finding): Finding {
  return { ...finding, status: "new", result: "it is back" };
}
