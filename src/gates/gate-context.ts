import type { Environment } from "../system/process/environment.ts";
import type { ChangeSet } from "../system/git/change-set.ts";
import type { CheckGate, Priority, PlannedGate } from "./gate.ts";
import type { AbsolutePath, ProjectPath } from "../path.ts";
import type { GateOutcome } from "./outcome.ts";
import type { ProcessEnd } from "../system/process/run-process.ts";

export interface GateContext {
  readonly root: AbsolutePath;
  readonly logDir: ProjectPath;
  /** What `logDir` is relative to, if not `root`. */
  readonly logRoot?: AbsolutePath;
  readonly runNumber: number;
  readonly runId: string;
  /** What the change is compared with: `BASE_BRANCH` for checks. */
  readonly baseBranch?: string;
  readonly replServer?: ReplServer;
  readonly env: Environment;
  readonly review?: ReviewFacts;
  /** With the process group of every child, before it can have done much. `since`: `elapsedMs()` just before its start. */
  readonly onGroup: (pid: number, since: number) => void;
  readonly isGate?: ((pid: number) => boolean) | undefined;
  /** What a check prints, masked. */
  readonly onOutput?: ((gate: string, chunk: Uint8Array) => void) | undefined;
  readonly runRemotely?: RemoteRunner | undefined;
  /** `TRACEPARENT` of a check, if the stop is traced. */
  readonly traceparentOf?: ((gate: string) => string) | undefined;
}

export type PlannedCheck = PlannedGate & { readonly gate: CheckGate };

type RemoteRunner = (
  planned: PlannedCheck,
  onOutput: (chunk: Buffer) => void,
  signal: AbortSignal,
) => Promise<EndedRemotely | undefined>;

export interface EndedRemotely {
  readonly end: ProcessEnd;
  readonly missing?: string | undefined;
  /** Nothing was in the checkout but the files of the tree. */
  readonly isFresh?: boolean | undefined;
}

export interface ReviewFacts {
  readonly changes: ChangeSet;
  /** Priority from which new findings count after the first round. */
  readonly rerunNewIssueThreshold: Priority;
  /** Blocks given for this prompt. */
  readonly attempts: number;
  readonly onProgress: (planned: PlannedGate, text: string) => void;
}

export interface ReplServer {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
}

/** The part of an outcome that the planned gate does not say. */
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
