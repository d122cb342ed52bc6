import type { ChangeSet } from "../core/change-set.ts";
import type { GateOutcome } from "../core/outcome.ts";
import type { ProjectPath } from "../core/path.ts";
import type { Plan } from "../core/plan.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { Status } from "../core/status.ts";
import type { StopEvent } from "../core/stop-event.ts";
import type { Trouble } from "../core/trouble.ts";

/** What to run, on whose behalf. Only `cwd` is needed. */
export interface RunRequest {
  /** Any directory of the project. */
  readonly cwd: string;
  /** Set by stop hooks: obeys `stop_hook.enabled`, the run interval and the deadline, and reuses a pass of the same tree. */
  readonly checkInterval?: boolean;
  /** Names or ids of the gates to run; everything otherwise. */
  readonly gates?: readonly string[];
  /** Only gates of this kind. */
  readonly kind?: "check" | "review";
  readonly commit?: string | undefined;
  readonly uncommitted?: boolean | undefined;
  readonly base?: string | undefined;
  /** Runs every gate, also those that passed before with the same inputs. */
  readonly noCache?: boolean | undefined;
  /** The stop that asks; its session and prompt carry the retry budget. */
  readonly event?: StopEvent;
  /** Blocks the host honours before it overrides us; the budget stays below it. */
  readonly blockCap?: number | undefined;
  /** For a caller that counts blocks itself: takes the place of the session's count and of `max_retries`. */
  readonly budget?: { readonly spent: number; readonly max: number };
  /** Where the run leaves its logs and state, instead of the configured `log_dir`: a rehearsal leaves none. */
  readonly logDir?: ProjectPath | undefined;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What a run came to. */
export interface RunResult {
  readonly status: Status;
  /** One line for people. */
  readonly message: string;
  readonly outcomes: readonly GateOutcome[];
  readonly gatesRun: number;
  readonly gatesFailed: number;
  readonly runNumber?: number;
  readonly changes?: ChangeSet;
  readonly plan?: Plan;
  /** Project-relative. */
  readonly consoleLogPath?: string;
  /** What the agent must read; only when a gate failed. */
  readonly feedback?: string;
  /** What the person must read after we gave up: what still fails, and how. */
  readonly handoff?: string;
  /** Blocks that may still follow in this session. */
  readonly attemptsLeft?: number;
  /** What a person should know although the gates ran: state that had to be ignored or could not be kept. */
  readonly warnings?: readonly string[];
  readonly trouble?: Trouble;
  readonly errorMessage?: string;
  readonly intervalMinutes?: number;
}
