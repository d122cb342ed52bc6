import { type GateRef, isSameGate } from "../gates/gate.ts";
import { fresh, type OpenFailure, type RetryState } from "./retry-state.ts";
import { type GateOutcome, isBlocking, isMissing, isOutOfReach, missingPrograms } from "../gates/outcome.ts";
import { type Progress, type RetryPolicy, STUCK_AFTER } from "../config/settings.ts";
import type { Ran } from "../run/result.ts";

/** The result of a run, and what the session has spent with it. */
export interface Judgement {
  readonly status: Ran["status"];
  readonly retries: RetryState;
  /** Blocks that may still follow in this session; only while it is red. */
  readonly attemptsLeft?: number;
}

/** What limits the blocks of a session. */
export interface Budget {
  readonly maxRetries: number;
  /** Blocks the host honours at the most, minus one; bounds what progress can extend. */
  readonly maxBlocks: number;
  readonly policy: RetryPolicy;
  readonly runNumber: number;
  readonly fingerprint: string | undefined;
  /** How a red run compares with the attempt before; absent on the first. */
  readonly progress?: Progress | undefined;
}

/** The only place that decides what outcomes mean and what a red run costs. */
export function judge(outcomes: readonly GateOutcome[], before: RetryState, budget: Budget): Judgement {
  const openFailures = stillOpen(outcomes, before.openFailures, budget.runNumber);
  const retries = withOpenGuards(before, outcomes, budget.runNumber);
  if (!outcomes.some(isBlocking))
    return { status: statusWithoutFailure(outcomes), retries: calm(retries, openFailures) };
  const spent = spend(outcomes, retries, budget);
  if (spent === undefined) {
    const { attempts } = retries;
    // A program that is installed meanwhile is worth another look at the same files.
    const gaveUp = outcomes.filter(isBlocking).every(isMissing) ? {} : { gaveUpOn: budget.fingerprint ?? "" };
    return { status: "retry_limit_exceeded", retries: { ...fresh(retries), attempts, ...gaveUp } };
  }
  const attemptsLeft = Math.min(
    budget.maxRetries - spent.attempts,
    budget.maxBlocks - (spent.blocks ?? spent.attempts),
  );
  return {
    status: "failed",
    retries: { ...retries, ...spent, missing: withMissing(retries, outcomes), openFailures },
    attemptsLeft: attemptsLeft === Infinity ? undefined : attemptsLeft,
  };
}

type Spent = Pick<RetryState, "attempts" | "blocks" | "sameFor" | "unavailableBlocks">;

/** What a block costs, or undefined when there is no block left to give. */
function spend(outcomes: readonly GateOutcome[], session: RetryState, budget: Budget): Spent | undefined {
  const { attempts } = session;
  const isFree = hasEarnedIt(budget);
  if (attempts >= budget.maxRetries && !isFree) return undefined;
  if (outcomes.filter(isBlocking).every(isOutOfReach)) return spendOnUnavailable(session, outcomes, budget);
  const sameFor = budget.progress?.isSame ? (session.sameFor ?? 1) + 1 : 1;
  if (budget.policy.whenStuck === "stop" && sameFor >= STUCK_AFTER) return undefined;
  if (!budget.policy.extendOnProgress) return { attempts: attempts + 1, sameFor };
  const blocks = (session.blocks ?? attempts) + 1;
  return blocks > budget.maxBlocks
    ? undefined
    : { attempts: isFree ? attempts : attempts + 1, blocks, sameFor };
}

/** An attempt that fixed something costs nothing, where the project wants it so; `max_retries: 0` still never blocks. */
function hasEarnedIt({ policy, progress, maxRetries }: Budget): boolean {
  return policy.extendOnProgress && progress?.isBetter === true && maxRetries > 0;
}

/**
 * That something is not there is not the agent's doing: it costs nothing, and blocks once. A command that names another missing
 * program at each stop must not block without end: once a session knows `max_retries` of them, no further one blocks.
 */
function spendOnUnavailable(
  { attempts, unavailableBlocks = 0, missing = [] }: RetryState,
  outcomes: readonly GateOutcome[],
  { maxRetries }: Budget,
): Spent | undefined {
  const programs = missingPrograms(outcomes);
  const mayBlock =
    programs.length === 0
      ? unavailableBlocks === 0
      : missing.length < maxRetries && programs.some((one) => !missing.includes(one));
  return mayBlock ? { attempts, unavailableBlocks: 1 } : undefined;
}

/** Whatever else failed beside it: a program that was missing at a block is known. */
function withMissing({ missing = [] }: RetryState, outcomes: readonly GateOutcome[]): RetryState["missing"] {
  const programs = [...new Set([...missing, ...missingPrograms(outcomes)])];
  return programs.length === 0 ? undefined : programs;
}

function statusWithoutFailure(outcomes: readonly GateOutcome[]): Ran["status"] {
  if (outcomes.some(({ kind }) => kind === "errored" || kind === "cancelled")) return "error";
  return outcomes.some(isWarning) ? "passed_with_warnings" : "passed";
}

/** Red but not blocking, or green with a remark. */
export function isWarning(outcome: GateOutcome): boolean {
  return outcome.kind === "passed" ? outcome.warning !== undefined : true;
}

/** No failure is left: the budget is whole again. While one is open elsewhere it keeps what it has spent. */
function calm(session: RetryState, openFailures: readonly OpenFailure[]): RetryState {
  return openFailures.length > 0 ? { ...session, openFailures } : fresh(session);
}

/** A gate leaves the list by passing; a gate that did not get to run stays. */
function stillOpen(
  outcomes: readonly GateOutcome[],
  before: readonly OpenFailure[],
  runNumber: number,
): readonly OpenFailure[] {
  const decided = outcomes
    .filter((outcome) => outcome.kind === "passed" || isBlocking(outcome))
    .flatMap(refOf);
  const failed = outcomes
    .filter(isBlocking)
    .flatMap(refOf)
    .map((gate) => ({ gate, runNumber }));
  return [...before.filter(({ gate }) => !decided.some((one) => isSameGate(one, gate))), ...failed];
}

/** The same for guards: one that did not run, because only some gates were asked for, stays. */
function withOpenGuards(
  { openGuards: before = [], ...session }: RetryState,
  outcomes: readonly GateOutcome[],
  runNumber: number,
): RetryState {
  const ran = outcomes.filter(({ gate }) => gate === "guard");
  const failed = ran.filter(isBlocking).map(({ id }) => ({ id, runNumber }));
  const openGuards = [...before.filter(({ id }) => !ran.some((one) => one.id === id)), ...failed];
  return openGuards.length === 0 ? session : { ...session, openGuards };
}

/** A guard examines every change again, so it is not planned for what it found. */
function refOf({ gate: kind, scope, name }: GateOutcome): GateRef[] {
  return kind === "guard" ? [] : [{ kind, scope, name }];
}
