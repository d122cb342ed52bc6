import { NEW_SESSION, type OpenFailure, type SessionHistory } from "./history.ts";
import { type GateOutcome, isBlocking } from "./outcome.ts";
import type { Status } from "./status.ts";

/** What a run came to, and the session's history with it. */
export interface Judgement {
  readonly status: Status;
  readonly session: SessionHistory;
  /** Blocks that may still follow in this session; only while it is red. */
  readonly attemptsLeft?: number;
}

/** The only place that decides what outcomes mean and what a red run costs. */
export function judge(
  outcomes: readonly GateOutcome[],
  session: SessionHistory,
  budget: { maxRetries: number; runNumber: number; fingerprint: string | undefined },
): Judgement {
  const openFailures = stillOpen(outcomes, session.openFailures, budget.runNumber);
  if (!outcomes.some(isBlocking))
    return { status: statusWithoutFailure(outcomes), session: calm(session, openFailures) };
  const spent = spend(outcomes, session);
  if (session.attempts >= budget.maxRetries || spent === undefined) {
    const { promptId } = session;
    const kept = {
      ...NEW_SESSION,
      attempts: session.attempts,
      ...(promptId === undefined ? {} : { promptId }),
    };
    return { status: "retry_limit_exceeded", session: { ...kept, gaveUpOn: budget.fingerprint ?? "" } };
  }
  return {
    status: "failed",
    session: { ...session, ...spent, openFailures },
    attemptsLeft: budget.maxRetries - spent.attempts,
  };
}

/** What a block costs. That something is not there is not the agent's doing and costs no attempt; it blocks once. */
function spend(
  outcomes: readonly GateOutcome[],
  { attempts, unavailableBlocks = 0 }: SessionHistory,
): Pick<SessionHistory, "attempts" | "unavailableBlocks"> | undefined {
  if (outcomes.filter(isBlocking).some(({ kind }) => kind !== "unavailable"))
    return { attempts: attempts + 1 };
  return unavailableBlocks === 0 ? { attempts, unavailableBlocks: 1 } : undefined;
}

function statusWithoutFailure(outcomes: readonly GateOutcome[]): Status {
  if (outcomes.some(({ kind }) => kind === "errored" || kind === "cancelled")) return "error";
  return outcomes.some(isWarning) ? "passed_with_warnings" : "passed";
}

/** Red but not blocking, or green with a remark. */
function isWarning(outcome: GateOutcome): boolean {
  return outcome.kind === "passed" ? outcome.warning !== undefined : true;
}

/** No failure is left: the budget is whole again. While one is open elsewhere it keeps what it has spent. */
function calm(session: SessionHistory, openFailures: readonly OpenFailure[]): SessionHistory {
  return openFailures.length > 0 ? { ...session, openFailures } : fresh(session);
}

/** Nothing open, nothing spent; still the same prompt. */
function fresh({ promptId, deferredFor }: SessionHistory): SessionHistory {
  return {
    ...NEW_SESSION,
    ...(promptId === undefined ? {} : { promptId }),
    ...(deferredFor === undefined ? {} : { deferredFor }),
  };
}

/** A gate leaves the list by passing; a gate that did not get to run stays. */
function stillOpen(
  outcomes: readonly GateOutcome[],
  before: readonly OpenFailure[],
  runNumber: number,
): readonly OpenFailure[] {
  const passed = new Set(outcomes.filter(({ kind }) => kind === "passed").map(({ id }) => id));
  const failed = outcomes.filter(isBlocking).map(({ id }) => ({ id, runNumber }));
  const failedIds = new Set(failed.map(({ id }) => id));
  return [...before.filter(({ id }) => !passed.has(id) && !failedIds.has(id)), ...failed];
}
