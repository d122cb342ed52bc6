import type { GateContext } from "../../gates/gate-context.ts";
import type { Finding } from "../../gates/review/finding.ts";
import type { Project } from "../../run/open.ts";
import type { PlannedRun } from "../../run/plan-run.ts";
import type { RunEvent, RunRequest } from "../../run/request.ts";

export interface GuardedRun {
  readonly project: Project;
  readonly request: RunRequest;
  readonly planned: PlannedRun;
  readonly context: GateContext;
  readonly tell: (event: RunEvent) => void;
}

export interface Found {
  readonly findings: readonly Finding[];
  /** For the user; they block nothing. */
  readonly suspected?: readonly Finding[];
  /** What it could not look at, or must say beside its findings. */
  readonly gap?: string | undefined;
  readonly durationMs?: number;
}
