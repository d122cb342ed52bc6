import type { ChangeSet } from "./plan/change-set.ts";
import type { GatesDefinition } from "./trust/gates-definition.ts";
import { definedOnly } from "./defined-only.ts";
import type { Notice } from "./stop/verdict.ts";
import type { GateOutcome } from "./outcome.ts";
import type { ProjectPath } from "./path.ts";
import type { BlockedStop, KeptState, RecordedGates, SessionRecord } from "./record/session-record.ts";
import type { Plan, PlannedGate } from "./plan/plan.ts";
import { type Status, type MessageFacts, statusMessage } from "./stop/status.ts";
import type { StopEvent } from "./stop/stop-event.ts";
import { explain, type Trouble } from "./trouble.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What to run, on whose behalf. Only `cwd` is needed. */
export interface RunRequest {
  /** Any directory of the project. */
  readonly cwd: string;
  /** Set by stop hooks: obeys `stop_hook.enabled`, the run interval and the deadline, and reuses a pass of the same tree. */
  readonly checkInterval?: boolean;
  /** The gates to run, by name, id, path or a glob of these; everything otherwise. */
  readonly gates?: readonly string[];
  /** The gates to leave out, in the same words. */
  readonly skip?: readonly string[];
  /** Every check, whatever has changed. */
  readonly all?: boolean | undefined;
  /** Only the gates that failed in the last run. */
  readonly failed?: boolean | undefined;
  /** Only gates of this kind. */
  readonly kind?: "check" | "review";
  readonly commit?: string | undefined;
  readonly uncommitted?: boolean | undefined;
  readonly staged?: boolean | undefined;
  readonly base?: string | undefined;
  /** Runs every gate, also those that passed before with the same inputs. */
  readonly noCache?: boolean | undefined;
  /** Whether only problems that were not there before block, whatever the configuration says. */
  readonly onlyNew?: boolean | undefined;
  /** Runs no `fix`. */
  readonly noFix?: boolean | undefined;
  /** The stop that asks; its session and prompt carry the retry budget. */
  readonly event?: StopEvent;
  /** What is known of its session. */
  readonly record?: SessionRecord | undefined;
  /** What the user allowed, where the gates are no longer that: it goes on judging, and nothing else runs. */
  readonly allowed?: GatesDefinition | undefined;
  /** Blocks the host honours before it overrides us; the budget stays below it. */
  readonly blockCap?: number | undefined;
  /** For a caller that counts blocks itself: takes the place of the session's count and of `max_retries`. */
  readonly budget?: { readonly spent: number; readonly max: number } | undefined;
  /** Where the run leaves its logs and state, instead of the configured `log_dir`: a rehearsal leaves none. */
  readonly logDir?: ProjectPath | undefined;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  /** What the gates print, as it goes to their logs: secrets are masked. */
  readonly onOutput?: ((gate: string, chunk: Uint8Array) => void) | undefined;
  /** What a gate gets as `TRACEPARENT`, by its id; without it, what the host has. */
  readonly traceparentOf?: ((gate: string) => string) | undefined;
  readonly env?: Environment;
}

/** Whether a request leaves gates out that the change calls for, whatever it adds. */
export function isPartial({ gates, skip, failed, kind }: RunRequest): boolean {
  return Boolean(gates?.length) || Boolean(skip?.length) || failed === true || kind !== undefined;
}

/** Everything a reporter may show while a run goes on. */
export type RunEvent =
  | {
      readonly kind: "run-planned";
      readonly runNumber: number;
      readonly changes: ChangeSet;
      readonly plan: Plan;
      /** How many guards look at the change meanwhile. */
      readonly guards: number;
    }
  | { readonly kind: "gate-started"; readonly planned: PlannedGate }
  /** A gate that takes long says what it is doing: `claude reviews, slot 1 of 2, round 1`. */
  | { readonly kind: "gate-progressed"; readonly planned: PlannedGate; readonly text: string }
  | { readonly kind: "gate-finished"; readonly outcome: GateOutcome }
  | { readonly kind: "warned"; readonly message: string };

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
  /** Facts for the user of a stop hook, each shown once per session. */
  readonly notices: readonly Notice[];
  readonly changes?: ChangeSet;
  readonly plan?: Plan;
  readonly judged?: Judged;
  /** The project has continued stops checked, too (`when_active: enforce`). */
  readonly isEnforced?: boolean;
  /** Of a stop's session: the gates it began with, where they were looked up. */
  readonly trust?: TrustFacts;
  /** Of a stop's session: what the log directory holds of it now. */
  readonly kept?: KeptState | undefined;
}

/** Whether the gates are those the session began with. */
export interface TrustFacts {
  /** What the session must remember. */
  readonly gates: RecordedGates;
  readonly notices: readonly Notice[];
  /** Why the stop must not be allowed: what stands behind the recorded gates was changed. The agent reads it once. */
  readonly hold?: Pick<BlockedStop, "whenActive"> & {
    readonly key: string;
    readonly feedback: string;
    /** What was not run because it is not allowed as it is now: without it there is no pass. */
    readonly unrun?: string;
  };
}

/** What a result speaks about; what is absent was not looked at. */
export interface Judged {
  readonly gates: string;
  readonly branch?: string;
  readonly commit?: string;
  readonly tree?: string;
  readonly base?: string;
  /** A pass of everything the change called for, on a tree that stood still. */
  readonly whole?: boolean;
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
  /** What the next stop of this session must know; only when a stop was blocked. */
  readonly blocked?: BlockedStop;
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

const NO_GATES = { outcomes: [], gatesRun: 0, gatesFailed: 0, warnings: [], notices: [] } as const;

export function notNeeded(status: NotNeeded["status"], facts: MessageFacts = {}): NotNeeded {
  const { intervalMinutes } = facts;
  return {
    kind: "not-needed",
    status,
    message: statusMessage(status, facts),
    ...NO_GATES,
    ...(intervalMinutes === undefined ? {} : { intervalMinutes }),
  };
}

/** Our own trouble never looks like a failed gate. */
export function troubled(trouble: Trouble): Troubled {
  const errorMessage = explain(trouble);
  const status = troubleStatus(trouble);
  const message = statusMessage(status, { detail: errorMessage.replace(/\.$/, "") });
  return { kind: "troubled", status, message, ...NO_GATES, trouble, errorMessage };
}

export function troubleStatus(trouble: Trouble): Troubled["status"] {
  if (trouble.kind === "no-config") return "no_config";
  return trouble.kind === "lock-held" ? "lock_conflict" : "error";
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
  return { status, outcomes, ...definedOnly({ judged, run, left }) };
}
