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

/** What one of a review gate's reviewers has said so far. A slot outlives the tool that fills it. */
export interface ReviewSlot {
  /** The planned gate's id. */
  readonly gate: string;
  /** 1-based. */
  readonly slot: number;
  /** How often a reviewer has been asked since the review started over. */
  readonly round: number;
  /** Who answered the last round. */
  readonly reviewer: string;
  /** The work tree of the last round as a git tree id, where there was one. */
  readonly tree: string | null;
  readonly findings: readonly Finding[];
  /** Ids of the findings whose fix a reviewer has confirmed. */
  readonly confirmed: readonly string[];
}

/** The agent's answer to one finding. */
export interface FindingAnswer {
  readonly status: FindingStatus;
  readonly result: string;
}

/** What to do with a slot in this run. */
export type SlotStep =
  /** Ask: look for findings in the whole change. */
  | { readonly kind: "find"; readonly carried: readonly Finding[] }
  /** Ask: check what was open, and look only at what changed since. */
  | { readonly kind: "verify"; readonly slot: ReviewSlot }
  /** Do not ask: nothing is open. */
  | { readonly kind: "rest"; readonly slot: ReviewSlot }
  /** Do not ask: something is open and nothing has changed, so the answer would be the same. */
  | { readonly kind: "repeat"; readonly slot: ReviewSlot }
  /** Do not ask any more: all rounds are used. */
  | { readonly kind: "spent"; readonly slot: ReviewSlot };

export interface SlotFacts {
  /** The review starts over: a new prompt, or a change after everything had passed. */
  readonly startsOver: boolean;
  /** Whether the work tree differs from that of the slot's last round. */
  readonly changed: boolean;
  readonly maxRounds: number;
}

/** Takes over what the agent answered: a status and a reason for findings we know, nothing else. */
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

/** What is not settled: unanswered findings, and fixes that no reviewer has confirmed. */
export function openFindings({ findings, confirmed }: ReviewSlot): readonly Finding[] {
  return findings.filter(({ id, status }) => status !== "skipped" && !confirmed.includes(id));
}

export function skippedFindings({ findings }: ReviewSlot): readonly Finding[] {
  return findings.filter(({ status }) => status === "skipped");
}

/** Decides whether a slot is asked in this run, and what. */
export function nextStep(slot: ReviewSlot | undefined, facts: SlotFacts): SlotStep {
  if (slot === undefined) return { kind: "find", carried: [] };
  if (facts.startsOver) return { kind: "find", carried: slot.findings.filter(isUnsettledIn(slot)) };
  if (openFindings(slot).length === 0) return { kind: "rest", slot };
  if (slot.round >= facts.maxRounds) return { kind: "spent", slot };
  return facts.changed ? { kind: "verify", slot } : { kind: "repeat", slot: withoutClaims(slot) };
}

function isUnsettledIn(slot: ReviewSlot): (finding: Finding) => boolean {
  return ({ id }) => !slot.confirmed.includes(id);
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

/**
 * The safety latch: slots with nothing open are not asked again while another is, but a change is never let through
 * without any reviewer seeing it while rounds are left.
 */
export function withSafetyLatch(
  steps: readonly SlotStep[],
  facts: readonly Pick<SlotFacts, "changed" | "maxRounds">[],
): readonly SlotStep[] {
  if (steps.some(({ kind }) => kind === "find" || kind === "verify" || kind === "repeat")) return steps;
  const latched = steps.findIndex((step, index) => {
    const { changed, maxRounds } = facts[index] ?? { changed: false, maxRounds: 0 };
    return step.kind === "rest" && changed && step.slot.round < maxRounds;
  });
  return steps.map((step, index) =>
    index === latched && step.kind === "rest" ? { kind: "verify", slot: step.slot } : step,
  );
}

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
