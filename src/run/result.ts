import { describeOutcome, type GateOutcome } from "../gates/outcome.ts";
import type { RecordedGates } from "../stop/session.ts";
import { type MessageFacts, type Status, statusMessage, troubleStatus } from "../stop/status.ts";
import type { ChangeSet } from "../system/git/change-set.ts";
import { explain, type Trouble } from "../trouble.ts";
import type { Plan } from "./plan.ts";

/** The result of a run. */
export type RunResult = NotNeeded | Ran | Troubled;

interface ResultBase {
  readonly status: Status;
  /** One line for people. */
  readonly message: string;
  readonly outcomes: readonly GateOutcome[];
  readonly gatesRun: number;
  readonly gatesFailed: number;
  /** What the user should know although the run has an answer: state that had to be ignored or could not be kept. */
  readonly warnings: readonly string[];
  readonly changes?: ChangeSet;
  readonly plan?: Plan;
  readonly judged?: Judged;
  /** The `.gitignore` files that are not in git's index, if they were looked for. */
  readonly ignoreFiles?: readonly string[] | undefined;
  /** Of a stop's session: the gates it began with, if they were looked up. */
  readonly trust?: TrustFacts;
}

/** Whether the gates are those the session began with. */
export interface TrustFacts {
  /** What the session must remember. */
  readonly gates: RecordedGates;
  /** Why the stop must not be allowed: scripts behind the recorded gates were changed. The agent reads it once for each change. */
  readonly hold?: Hold;
}

export interface Hold {
  readonly whenActive: "allow" | "enforce";
  /** What was changed, each by name and content. */
  readonly changes: readonly string[];
  readonly words: string;
  readonly feedback: string;
  /** Blocks in a row that a prompt may cost. */
  readonly maxBlocks: number;
  /** What was not run because it is not allowed as it is now: without it there is no pass. */
  readonly unrun?: string;
}

/** What a result is about; what is absent was not examined. */
export interface Judged {
  readonly gates: string;
  readonly branch?: string;
  readonly commit?: string;
  readonly tree?: string;
  /** The hash of how large its files were: git keeps the same of some that differ. */
  readonly sizes?: string;
  readonly base?: string;
  /** A pass of everything the change called for, on a tree that stood still. */
  readonly whole?: boolean;
  /** Of such a pass: the hash of the environment that its gates saw. */
  readonly environment?: string;
  /** It was made by a person at a terminal. */
  readonly byUser?: boolean;
  /** No gate ran: the tree had passed before. */
  readonly reused?: boolean;
  /** That pass rests on problems that were there before. */
  readonly excused?: boolean;
}

/** No gate had to run. */
export interface NotNeeded extends ResultBase {
  readonly kind: "not-needed";
  readonly status: Exclude<
    Status,
    "failed" | "error" | "lock_conflict" | "no_config" | "not_allowed" | "invalid_input"
  >;
  readonly outcomes: readonly [];
  readonly intervalMinutes?: number;
}

/** Gates ran, or were reused. */
export interface Ran extends ResultBase {
  readonly kind: "ran";
  readonly status: "passed" | "passed_with_warnings" | "failed" | "retry_limit_exceeded" | "error";
  readonly runNumber: number;
  readonly changes: ChangeSet;
  readonly plan: Plan;
  /** Project-relative. */
  readonly consoleLogPath: string;
  /** What the agent must read; only when the status is `failed`. */
  readonly feedback?: string;
  /** What the user must read after we gave up: what still fails, and how. */
  readonly handoff?: string;
  /** Blocks that may still follow in this session. */
  readonly attemptsLeft?: number;
  readonly errorMessage?: string;
}

/** Something on our side kept the gates from running. */
export interface Troubled extends ResultBase {
  readonly kind: "troubled";
  readonly status: "error" | "lock_conflict" | "no_config";
  readonly outcomes: readonly [];
  readonly trouble: Trouble;
  readonly errorMessage: string;
}

const NO_GATES = { outcomes: [], gatesRun: 0, gatesFailed: 0, warnings: [] } as const;

export function notNeeded(status: NotNeeded["status"], facts: MessageFacts = {}): NotNeeded {
  const { intervalMinutes } = facts;
  return {
    kind: "not-needed",
    status,
    message: statusMessage(status, facts),
    ...NO_GATES,
    intervalMinutes,
  };
}

/** Our own trouble never looks like a failed gate. */
export function troubled(trouble: Trouble): Troubled {
  const errorMessage = explain(trouble);
  const status = troubleStatus(trouble);
  const message = statusMessage(status, { detail: errorMessage.replace(/\.$/, "") });
  return { kind: "troubled", status, message, ...NO_GATES, trouble, errorMessage };
}

/** What a run leaves for the ledger. */
export type RunFacts = Pick<RunResult, "status" | "judged" | "outcomes"> & {
  readonly run?: number;
  readonly left?: number;
  /** Why the user skipped the gates. */
  readonly reason?: string;
};

export function runFacts(result: RunResult): RunFacts {
  const { status, judged, outcomes } = result;
  const { runNumber: run, attemptsLeft: left } = "runNumber" in result ? result : {};
  return { status, outcomes, judged, run, left };
}

/** A run in words that are kept. */
export interface RecordedRun {
  readonly number?: number;
  readonly comparedTo?: string;
  readonly files: readonly string[];
  readonly planned: readonly Reasoned[];
  readonly skipped: readonly Reasoned[];
  /** The result of each gate. */
  readonly outcomes: readonly Reasoned[];
  readonly attemptsLeft?: number;
  readonly consoleLogPath?: string;
}

export interface Reasoned {
  readonly id: string;
  readonly why: string;
}

/** Enough to see what was meant; the rest is in git. */
const MAX_FILES = 200;

export function recordedRun(result: RunResult | Pick<Ran, "plan" | "outcomes">): RecordedRun {
  const { plan } = result;
  const changes = "changes" in result ? result.changes : undefined;
  const { runNumber, attemptsLeft, consoleLogPath } = "runNumber" in result ? result : {};
  return {
    number: runNumber,
    comparedTo: changes?.comparedTo,
    files: (changes?.files ?? []).slice(0, MAX_FILES).map(({ path }) => path),
    planned: (plan?.gates ?? []).map(({ id, reason }) => ({ id, why: reason })),
    skipped: (plan?.skipped ?? []).map(({ id, reason }) => ({ id, why: reason })),
    outcomes: result.outcomes.map((outcome) => ({ id: outcome.id, why: describeOutcome(outcome) })),
    attemptsLeft,
    consoleLogPath,
  };
}
