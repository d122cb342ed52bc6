import type { GatesDefinition } from "../config/settings.ts";
import type { PlannedGate } from "../gates/gate.ts";
import type { GateOutcome } from "../gates/outcome.ts";
import type { StopEvent } from "../hosts/stop-event.ts";
import type { ProjectPath } from "../path.ts";
import type { Notices } from "../stop/notices.ts";
import type { OpenSession } from "../stop/open-session.ts";
import type { ChangeSet } from "../system/git/change-set.ts";
import type { Environment } from "../system/process/environment.ts";
import type { Plan } from "./plan.ts";

/** What to run, on whose behalf. Only `cwd` is needed. */
export interface RunRequest {
  /** Any directory of the project. */
  readonly cwd: string;
  /** Set by stop hooks: obeys `stop_hook.enabled`, the run interval and the deadline, and reuses a pass of the same tree. */
  readonly isStop?: boolean;
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
  /** Leaves out the guards. */
  readonly noGuards?: boolean | undefined;
  /** The stop that asks; its session and prompt carry the retry budget. */
  readonly event?: StopEvent;
  /** Its session, which the run reads and changes. */
  readonly session?: OpenSession | undefined;
  /** Collects what its user must know. */
  readonly notices?: Notices | undefined;
  /** What the user allowed, where the gates are no longer that: it goes on judging, and nothing else runs. */
  readonly allowed?: GatesDefinition | undefined;
  /** Blocks the host honours before it overrides us; the budget stays below it. */
  readonly blockCap?: number | undefined;
  /** For a caller that counts blocks itself: takes the place of the session's count and of `max_retries`. */
  readonly budget?: { readonly spent: number; readonly max: number } | undefined;
  /** It runs in the background before the stop of `event`, whose answer it only prepares. */
  readonly ahead?: { readonly maxParallel: number | undefined } | undefined;
  /** Where the run leaves its logs and state, instead of the configured `log_dir`: a rehearsal leaves none. */
  readonly logDir?: ProjectPath | undefined;
  readonly signal?: AbortSignal;
  /** Whether a person at a terminal asks; asked only for a pass. */
  readonly isUser?: () => Promise<boolean>;
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
