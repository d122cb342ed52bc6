import { describeOutcome, type GateOutcome } from "./outcome.ts";
import type { ChangeSet } from "./change-set.ts";
import type { Plan } from "./plan.ts";
import type { StopEvent } from "./stop-event.ts";
import type { Verdict } from "./verdict.ts";

/** One stop from question to answer, in words that are kept: nothing of the conversation, no environment, no gate's settings. */
export interface StopRecord {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: Omit<StopEvent, "lastMessage">;
  readonly verdict: Verdict;
  /** Where gates were at least looked at. */
  readonly run?: RecordedRun;
  /** What was written to the host. */
  readonly answer: { readonly stdout: string; readonly exitCode: number };
}

export interface RecordedRun {
  readonly number?: number;
  readonly comparedTo?: string;
  readonly files: readonly string[];
  readonly planned: readonly Reasoned[];
  readonly skipped: readonly Reasoned[];
  /** Gate by gate, what it came to. */
  readonly outcomes: readonly Reasoned[];
  readonly attemptsLeft?: number;
  readonly consoleLogPath?: string;
}

export interface Reasoned {
  readonly id: string;
  readonly why: string;
}

/** What a run tells about itself. */
interface RunFacts {
  readonly runNumber?: number;
  readonly changes?: ChangeSet;
  readonly plan?: Plan;
  readonly outcomes: readonly GateOutcome[];
  readonly attemptsLeft?: number;
  readonly consoleLogPath?: string;
}

/** Enough to see what was meant; the rest is in git. */
const MAX_FILES = 200;

export function recordedRun(facts: RunFacts): RecordedRun {
  const { runNumber, changes, plan, attemptsLeft, consoleLogPath } = facts;
  return {
    files: (changes?.files ?? []).slice(0, MAX_FILES).map(({ path }) => path),
    planned: (plan?.gates ?? []).map(({ id, reason }) => ({ id, why: reason })),
    skipped: (plan?.skipped ?? []).map(({ id, reason }) => ({ id, why: reason })),
    outcomes: facts.outcomes.map((outcome) => ({ id: outcome.id, why: describeOutcome(outcome) })),
    ...(runNumber === undefined ? {} : { number: runNumber }),
    ...(changes === undefined ? {} : { comparedTo: changes.comparedTo }),
    ...(attemptsLeft === undefined ? {} : { attemptsLeft }),
    ...(consoleLogPath === undefined ? {} : { consoleLogPath }),
  };
}
