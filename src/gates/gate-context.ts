import type { Environment } from "../system/process/environment.ts";
import type { ChangeSet } from "../system/git/change-set.ts";
import type { CheckGate, Priority, PlannedGate } from "./gate.ts";
import type { AbsolutePath, ProjectPath } from "../path.ts";
import type { GateOutcome } from "./outcome.ts";
import type { ProcessEnd } from "../system/process/run-process.ts";

/** What every gate of a run gets to know. */
export interface GateContext {
  readonly root: AbsolutePath;
  readonly logDir: ProjectPath;
  /** What `logDir` is relative to, where the gate runs in another tree than the project's. */
  readonly logRoot?: AbsolutePath;
  readonly runNumber: number;
  readonly runId: string;
  /** What the change is compared with, where there is a comparison; checks see it as `BASE_BRANCH`. */
  readonly baseBranch?: string;
  readonly replServer?: ReplServer;
  readonly env: Environment;
  /** What reviews need to know about the run. */
  readonly review?: ReviewFacts;
  /** Called with the process group of every child, before the child can have done much. `since`: `elapsedMs()` just before it was started. */
  readonly onGroup: (pid: number, since: number) => void;
  /** Whether a pid is or was that of such a child. */
  readonly isGate?: ((pid: number) => boolean) | undefined;
  /** Called with what a check prints, masked. */
  readonly onOutput?: ((gate: string, chunk: Uint8Array) => void) | undefined;
  /** Runs a check on another machine; undefined where it must run here. */
  readonly runRemotely?: RemoteRunner | undefined;
  /** What a check gets as `TRACEPARENT`, where the stop is traced. */
  readonly traceparentOf?: ((gate: string) => string) | undefined;
}

/** A check, planned. */
export type PlannedCheck = PlannedGate & { readonly gate: CheckGate };

type RemoteRunner = (
  planned: PlannedCheck,
  onOutput: (chunk: Buffer) => void,
  signal: AbortSignal,
) => Promise<EndedRemotely | undefined>;

/** How a check ended on another machine. */
export interface EndedRemotely {
  readonly end: ProcessEnd;
  /** The program of its command that is not installed there. */
  readonly missing?: string | undefined;
}

export interface ReviewFacts {
  readonly changes: ChangeSet;
  /** From the second round on, new findings count from this priority on. */
  readonly rerunNewIssueThreshold: Priority;
  /** Blocks already given for this prompt; with the first one, a review is under way. */
  readonly attempts: number;
  readonly onProgress: (planned: PlannedGate, text: string) => void;
}

/** Where the command line says that the nREPL server is; what it does not say is looked for. */
export interface ReplServer {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
}

/** The part of an outcome that says what happened; the rest comes from the planned gate. */
export type Happened = DistributiveOmit<
  GateOutcome,
  | "id"
  | "gate"
  | "name"
  | "scope"
  | "workingDirectory"
  | "warnOnly"
  | "durationMs"
  | "fixInstructions"
  | "parser"
>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export function outcomeOf(planned: PlannedGate, durationMs: number, happened: Happened): GateOutcome {
  const { id, gate, scope, workingDirectory } = planned;
  const { fixInstructions, parser } = gate.kind === "check" ? gate : {};
  const reading = {
    fixInstructions,
    parser,
  };
  const base = { id, gate: gate.kind, name: gate.name, scope, workingDirectory, warnOnly: gate.warnOnly };
  return { ...base, durationMs: Math.round(durationMs), ...reading, ...happened };
}
