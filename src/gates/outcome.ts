import type { ReviewReport } from "./review/finding.ts";
import type { Gate, PatternParser } from "./gate.ts";
import { displayPath, type ProjectPath } from "../path.ts";

export type GateOutcome =
  PassedGate | FailedGate | TimedOutGate | ErroredGate | UnavailableGate | CancelledGate | SkippedOutcome;

export const OUTCOME_KINDS = [
  "passed",
  "failed",
  "timed-out",
  "errored",
  "unavailable",
  "cancelled",
  "skipped",
] as const satisfies readonly GateOutcome["kind"][];

interface OutcomeBase {
  readonly id: string;
  /** `guard`: a finding of `guards:`, not a planned gate. */
  readonly gate: Gate["kind"] | "guard";
  readonly name: string;
  readonly scope: ProjectPath;
  /** Relative paths in its output start here. */
  readonly workingDirectory: ProjectPath;
  readonly warnOnly: boolean;
  readonly durationMs: number;
  /** After the first gate of its run; undefined if it was not started. */
  readonly startedMs?: number;
  readonly logPath?: ProjectPath;
  readonly fixInstructions?: string;
  readonly parser?: string | PatternParser;
  /** Written by the gate during this run. */
  readonly report?: ProjectPath;
  readonly review?: ReviewReport;
  /** The comparison with what existed before the change. */
  readonly baseline?: BaselineFacts;
}

interface PassedGate extends OutcomeBase {
  readonly kind: "passed";
  readonly warning?: string;
  /** Not run: why an earlier pass still holds. */
  readonly reused?: string;
  /** Passes only because its failures existed before, or because it was repeated; or on a worker, beside files that git ignores. */
  readonly rests?: "baseline" | "rerun" | "worker";
  /** By its own summary; counted only for a guard. */
  readonly tests?: number;
  /** Tests that failed before a repeated run passed; empty if none could be identified. */
  readonly flaky?: readonly string[];
}

/** Exited with another code (126 and 127 too), or was killed by a foreign signal. */
export interface FailedGate extends OutcomeBase {
  readonly kind: "failed";
  readonly detail: string;
  /** A program that is not installed here: more the user's business than the agent's. */
  readonly missing?: string;
}

interface TimedOutGate extends OutcomeBase {
  readonly kind: "timed-out";
  readonly afterMs: number;
}

/** Could not start, which is never the agent's fault. */
interface ErroredGate extends OutcomeBase {
  readonly kind: "errored";
  readonly detail: string;
}

/** Its reviewer or server is missing, rate-limited or returned an invalid answer. */
interface UnavailableGate extends OutcomeBase {
  readonly kind: "unavailable";
  readonly detail: string;
  readonly blocks: boolean;
}

/** Killed by our deadline or a signal to us. */
interface CancelledGate extends OutcomeBase {
  readonly kind: "cancelled";
  readonly detail: string;
}

/** Not started: an earlier `fail_fast` gate failed. */
interface SkippedOutcome extends OutcomeBase {
  readonly kind: "skipped";
  readonly detail: string;
}

export function isBlocking(outcome: GateOutcome): boolean {
  if (outcome.warnOnly) return false;
  if (outcome.kind === "unavailable") return outcome.blocks;
  return outcome.kind === "failed" || outcome.kind === "timed-out";
}

export function isRed(outcome: GateOutcome): boolean {
  return outcome.kind === "failed" || outcome.kind === "timed-out" || isBlocking(outcome);
}

/** A guard counts only if it found something. */
export function isCounted(outcome: GateOutcome): boolean {
  return outcome.gate !== "guard" || outcome.kind !== "passed" || outcome.warning !== undefined;
}

/** A pass needs no words, nor does what was skipped or cancelled because of something else. */
export function needsWords(outcome: GateOutcome): boolean {
  if (outcome.kind === "passed") return outcome.warning !== undefined && outcome.reused === undefined;
  return outcome.kind !== "skipped" && outcome.kind !== "cancelled";
}

export function hasRun(outcome: GateOutcome): boolean {
  if (outcome.kind === "passed") return isCounted(outcome) && outcome.reused === undefined;
  return outcome.kind === "failed" || outcome.kind === "timed-out";
}

/** A check that passes because its problems are old has some, too. */
export function hasProblems(outcome: GateOutcome): boolean {
  return isRed(outcome) || outcome.baseline !== undefined;
}

/** Something is missing here, which no edit of the agent can change. */
export function isOutOfReach(outcome: GateOutcome): boolean {
  return outcome.kind === "unavailable" || isMissing(outcome);
}

export function isMissing(outcome: GateOutcome): boolean {
  return outcome.kind === "failed" && outcome.missing !== undefined;
}

export function missingPrograms(outcomes: readonly GateOutcome[]): readonly string[] {
  const programs = outcomes
    .filter(isBlocking)
    .map((one) => (one.kind === "failed" ? one.missing : undefined));
  return [...new Set(programs)].filter((program) => program !== undefined);
}

/** Whether the problems can be compared with earlier ones: a gate that was killed or could not start has found none. */
export function isComparable(outcome: GateOutcome): outcome is FailedGate {
  return outcome.kind === "failed" && isBlocking(outcome) && !isOutOfReach(outcome);
}

/** With its scope: in a workspace every package has a `test`. */
export function nameOutcome(outcome: GateOutcome): string {
  const where = outcome.scope === "." ? "" : ` in ${displayPath(outcome.scope)}`;
  return `${outcome.name}${where} ${describeOutcome(outcome)}`;
}

export function describeOutcome(outcome: GateOutcome): string {
  switch (outcome.kind) {
    case "passed":
      if (outcome.reused !== undefined) return `not run again: ${outcome.reused}`;
      if (outcome.rests === "worker") return "passed on a worker that keeps ignored files: not proof";
      if (outcome.warning === undefined) return "passed";
      return outcome.gate === "guard"
        ? `found ${outcome.warning}`
        : `passed with a warning: ${outcome.warning}`;
    case "timed-out":
      return `timed out after ${outcome.afterMs / 1000} s`;
    case "errored":
      return `could not run: ${outcome.detail}`;
    case "failed":
      return outcome.missing === undefined
        ? `failed: ${[outcome.detail, ...(outcome.baseline ? [describeBaseline(outcome.baseline)] : [])].join("; ")}`
        : `could not do its work: \`${outcome.missing}\` is not installed here`;
    case "unavailable":
    case "cancelled":
    case "skipped":
      return `${outcome.kind}: ${outcome.detail}`;
  }
}

function describeBaseline(facts: BaselineFacts): string {
  if (facts.kind === "not-compared") return `not compared with what was there before: ${facts.why}`;
  if (facts.old.length === 0) return `nothing of it was there before (${facts.with})`;
  return `${wereThere(facts.old.length)} there before (${facts.with})`;
}

export function describeExcuse({ old, with: before }: Extract<BaselineFacts, { kind: "compared" }>): string {
  return old.length === 0
    ? `it failed in the same way before (${before})`
    : `${wereThere(old.length)} there before (${before}), and none is new`;
}

function wereThere(count: number): string {
  return count === 1 ? "1 problem was" : `${count} problems were`;
}

/** A problem as baselines store it: enough to recognise and show it. */
export interface KnownProblem {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly severity: "error" | "warning";
  readonly code?: string;
  readonly test?: string;
  readonly message: string;
}

/** A failing check, compared with an earlier tree or the committed baseline. */
export type BaselineFacts =
  | ComparedFacts
  | {
      readonly kind: "not-compared";
      readonly why: string;
      readonly logPath?: ProjectPath;
      readonly tookMs?: number;
    };

export interface ComparedFacts {
  readonly kind: "compared";
  readonly with: string;
  /** The earlier tree; undefined for the committed baseline alone. */
  readonly reference?: string;
  readonly old: readonly string[];
  readonly first?: string;
  readonly gone: readonly KnownProblem[];
  readonly logPath?: ProjectPath;
  readonly tookMs?: number;
}
