import type { ChangedFile } from "./change-set.ts";
import type { Gate } from "./gate.ts";
import type { ProjectPath } from "./path.ts";

/** Which gates run and which do not, each with its reason. */
export interface Plan {
  readonly gates: readonly PlannedGate[];
  readonly skipped: readonly SkippedGate[];
}

/** A gate at one place of the project; the same check at two entry points is planned twice. */
export interface PlannedGate {
  /** `check:<scope>:<name>`, unique within a plan and stable between runs. */
  readonly id: string;
  readonly gate: Gate;
  /** The path the gate looks after: the entry point, or the changed child of a `dir/*` entry point. */
  readonly scope: ProjectPath;
  /** Where it runs, relative to the project root. */
  readonly workingDirectory: ProjectPath;
  readonly files: readonly ChangedFile[];
  readonly reason: string;
}

export interface SkippedGate {
  readonly id: string;
  readonly gate: Gate;
  readonly reason: string;
}
