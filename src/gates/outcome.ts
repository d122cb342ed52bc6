import type { ReviewReport } from "./review/finding.ts";
import type { Gate, PatternParser } from "./gate.ts";
import type { ProjectPath } from "../path.ts";

/** The result of one gate. A failing gate is an outcome, not an error. */
export type GateOutcome =
  PassedGate | FailedGate | TimedOutGate | ErroredGate | UnavailableGate | CancelledGate | SkippedOutcome;

/** Every kind an outcome may have. */
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
  /** The planned gate's id: `check:<scope>:<name>`. */
  readonly id: string;
  /** `guard`: not a planned gate, but what `guards:` found in the change. */
  readonly gate: Gate["kind"] | "guard";
  readonly name: string;
  readonly scope: ProjectPath;
  /** Where it ran: what the relative paths in its output start from. */
  readonly workingDirectory: ProjectPath;
  readonly warnOnly: boolean;
  readonly durationMs: number;
  /** When it was started, in milliseconds after the first gate of its run; absent where it was not. */
  readonly startedMs?: number;
  /** Project-relative, where the gate wrote one. */
  readonly logPath?: ProjectPath;
  readonly fixInstructions?: string;
  /** Which parser reads the log, where the configuration says so. */
  readonly parser?: string | PatternParser;
  /** Project-relative: the report it wrote for machines during this run. */
  readonly report?: ProjectPath;
  /** What the reviewers of a review found, or a guard. */
  readonly review?: ReviewReport;
  /** How what a check found compares with what was there before the change. */
  readonly baseline?: BaselineFacts;
}

/** Started and exited with 0. */
interface PassedGate extends OutcomeBase {
  readonly kind: "passed";
  /** What the gate let through but a person should know. */
  readonly warning?: string;
  /** The gate was not run: it passed before with exactly these inputs; this says how that is known. */
  readonly reused?: string;
  /** It passes only because what fails had failed before the change, or because it was repeated. */
  readonly rests?: "baseline" | "rerun";
  /** How many tests ran, by its own summary; counted only where a guard asks for it. */
  readonly tests?: number;
  /** What failed before it passed when repeated, by name; empty where no test could be identified. */
  readonly flaky?: readonly string[];
}

/** Started and exited with something else (126 and 127 too), or was killed by a signal that was not ours. */
interface FailedGate extends OutcomeBase {
  readonly kind: "failed";
  /** One line: `exit code 1`, `killed by SIGSEGV`, `2 findings`. */
  readonly detail: string;
  /** The program its command names is not installed here: the user's business more than the agent's. */
  readonly missing?: string;
}

/** Ran over its own time limit. */
interface TimedOutGate extends OutcomeBase {
  readonly kind: "timed-out";
  readonly afterMs: number;
}

/** Could not start: our trouble or the project's, never the agent's. */
interface ErroredGate extends OutcomeBase {
  readonly kind: "errored";
  readonly detail: string;
}

/** Its reviewer or server is not there, has reached a limit, or answers nonsense. */
interface UnavailableGate extends OutcomeBase {
  readonly kind: "unavailable";
  readonly detail: string;
  readonly blocks: boolean;
}

/** Ended by our deadline or by a signal to us. */
interface CancelledGate extends OutcomeBase {
  readonly kind: "cancelled";
  readonly detail: string;
}

/** Planned, then not started: an earlier `fail_fast` gate failed. */
interface SkippedOutcome extends OutcomeBase {
  readonly kind: "skipped";
  readonly detail: string;
}

/** Whether this outcome keeps the agent from stopping. */
export function isBlocking(outcome: GateOutcome): boolean {
  if (outcome.warnOnly) return false;
  if (outcome.kind === "unavailable") return outcome.blocks;
  return outcome.kind === "failed" || outcome.kind === "timed-out";
}

/** Whether the gate ran and did not pass, whether or not that blocks. */
export function isRed(outcome: GateOutcome): boolean {
  return outcome.kind === "failed" || outcome.kind === "timed-out" || isBlocking(outcome);
}

/** Whether it is among the gates that are counted: a guard is where it found something. */
export function isCounted(outcome: GateOutcome): boolean {
  return outcome.gate !== "guard" || outcome.kind !== "passed" || outcome.warning !== undefined;
}

/** Whether it is counted and ran: not one that was reused, skipped or could not. */
export function hasRun(outcome: GateOutcome): boolean {
  if (outcome.kind === "passed") return isCounted(outcome) && outcome.reused === undefined;
  return outcome.kind === "failed" || outcome.kind === "timed-out";
}

/** Whether it has problems to tell: a check that passes because they are old has some, too. */
export function hasProblems(outcome: GateOutcome): boolean {
  return isRed(outcome) || outcome.baseline !== undefined;
}

/** Whether the gate could do nothing because something is not there, which no edit of the agent can change. */
export function isOutOfReach(outcome: GateOutcome): boolean {
  return outcome.kind === "unavailable" || isMissing(outcome);
}

/** Whether the program of the gate's command is not installed. */
export function isMissing(outcome: GateOutcome): boolean {
  return outcome.kind === "failed" && outcome.missing !== undefined;
}

/** The programs that gates need and that are not installed, each once. */
export function missingPrograms(outcomes: readonly GateOutcome[]): readonly string[] {
  const programs = outcomes
    .filter(isBlocking)
    .map((one) => (one.kind === "failed" ? one.missing : undefined));
  return [...new Set(programs)].filter((program) => program !== undefined);
}

/** Whether what a gate found can be compared with what was there before: one that is killed or cannot start has found nothing. */
export function isComparable(outcome: GateOutcome): outcome is FailedGate {
  return outcome.kind === "failed" && isBlocking(outcome) && !isOutOfReach(outcome);
}

/** The gate with its scope, and its result: in a workspace every package has a `test`. */
export function nameOutcome(outcome: GateOutcome): string {
  const where = outcome.scope === "." ? "" : ` in ${outcome.scope}`;
  return `${outcome.name}${where} ${describeOutcome(outcome)}`;
}

/** One line for people and agents: the result of the gate. */
export function describeOutcome(outcome: GateOutcome): string {
  switch (outcome.kind) {
    case "passed":
      if (outcome.reused !== undefined) return `not run again: ${outcome.reused}`;
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

/** In words that fit after the result of a check that failed. */
function describeBaseline(facts: BaselineFacts): string {
  if (facts.kind === "not-compared") return `not compared with what was there before: ${facts.why}`;
  if (facts.old.length === 0) return `nothing of it was there before (${facts.with})`;
  return `${wereThere(facts.old.length)} there before (${facts.with})`;
}

/** The same after the result of one that passes because nothing is new. */
export function describeExcuse({ old, with: before }: Extract<BaselineFacts, { kind: "compared" }>): string {
  return old.length === 0
    ? `it failed in the same way before (${before})`
    : `${wereThere(old.length)} there before (${before}), and none is new`;
}

function wereThere(count: number): string {
  return count === 1 ? "1 problem was" : `${count} problems were`;
}

/** A problem as a baseline keeps it: enough to know it again, and to show it. */
export interface KnownProblem {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly severity: "error" | "warning";
  readonly code?: string;
  readonly test?: string;
  readonly message: string;
}

/** What was found out about a failing check by comparing it with an earlier tree or with the committed baseline. */
export type BaselineFacts =
  | {
      readonly kind: "compared";
      /** In words: `origin/main (1a2b3c4)`, `.gauntlet/baseline.json`. */
      readonly with: string;
      /** Tells an earlier tree from others; absent for the committed baseline alone. */
      readonly reference?: string;
      /** Each problem that was there before, by `placedKey`. */
      readonly old: readonly string[];
      /** One of them, for the user. */
      readonly first?: string;
      /** Problems that were there before and are gone, the first ones. */
      readonly gone: readonly KnownProblem[];
      /** Project-relative: what the check printed on the earlier tree, where it was run. */
      readonly logPath?: ProjectPath;
      readonly tookMs?: number;
    }
  | {
      readonly kind: "not-compared";
      readonly why: string;
      readonly logPath?: ProjectPath;
      readonly tookMs?: number;
    };
