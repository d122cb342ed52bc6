import type { GateOutcome } from "../../core/outcome.ts";
import type { Status } from "../../core/stop/status.ts";
import type { Support, VerdictHead, VerdictRecord } from "../../core/record/verdict-record.ts";
import type { Severity } from "../../feedback/problem.ts";

/** What a page shows: the report of one run, or the dashboard, which asks its server for everything else. */
export type PageData = RunPage | { readonly kind: "dashboard"; readonly version: string };

/** One run as a page. Every text in it is safe to show: no escape codes, nothing invisible, secrets masked. */
export interface RunPage {
  readonly kind: "run";
  readonly version: string;
  readonly project: string;
  /** Absent for a run in which no gate was called for. */
  readonly run?: number;
  readonly status: Status;
  /** Milliseconds since the epoch. */
  readonly completedAt: number;
  readonly branch?: string;
  readonly commit?: string;
  readonly gates: readonly GateView[];
  /** What the red gates found, by file; problems without a place come last. */
  readonly files: readonly FileProblems[];
  /** The stops of the same session up to this run, the first one first. */
  readonly attempts: readonly AttemptView[];
}

export interface GateView {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly gate: GateOutcome["gate"];
  readonly outcome: GateOutcome["kind"];
  /** `passed`, `failed: exit code 1`, … */
  readonly words: string;
  readonly blocks: boolean;
  readonly ms: number;
  /** After the first gate began; unknown in records of older versions. */
  readonly startedMs?: number;
  readonly rests?: Support;
  readonly log?: LogView;
}

export interface LogView {
  /** Project-relative. */
  readonly path: string;
  readonly text: string;
  /** Characters left out in the middle. */
  readonly leftOut?: number;
}

export interface FileProblems {
  readonly file?: string;
  /** The file is not as it was when the gates looked at it, so the lines shown may be others. */
  readonly isChanged?: boolean;
  readonly problems: readonly ProblemView[];
}

export interface ProblemView {
  /** The name of the gate. */
  readonly gate: string;
  readonly severity: Severity;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly code?: string;
  readonly test?: string;
  readonly excerpt?: string;
  /** Whether the change brought it, where that is known. */
  readonly isNew?: boolean;
  readonly frame?: CodeFrame;
}

export interface CodeFrame {
  /** The number of the first line. */
  readonly first: number;
  readonly lines: readonly string[];
}

export interface AttemptView {
  readonly at: number;
  readonly run: number;
  readonly status: Status;
  readonly decision?: "allow" | "block";
  /** Blocks that may still follow. */
  readonly left?: number;
  readonly ms: number;
  /** The names of the gates that kept the agent from stopping. */
  readonly red: readonly string[];
  /** What the agent read, if the log of that run still exists. */
  readonly told?: string;
}

/** One verdict of the ledger, as much of it as the dashboard shows. */
export interface StopRow extends VerdictHead, Pick<VerdictRecord, "branch" | "commit" | "outcomes"> {
  /** The key of its project. */
  readonly project: string;
}

export interface ProjectRow {
  readonly key: string;
  readonly name: string;
  /** Where it is, if that is known. */
  readonly root?: string;
}

/** A run that is going on. */
export interface RunningRow {
  readonly project: string;
  readonly root: string;
  readonly since: number;
  readonly session?: string;
  readonly run?: number;
  /** The gates that have started and not ended. */
  readonly gates: readonly string[];
  readonly finished: number;
}

/** What the dashboard is sent when it connects. */
export interface DashboardState {
  readonly projects: readonly ProjectRow[];
  /** The newest first. */
  readonly rows: readonly StopRow[];
  /** There are older verdicts that were not sent. */
  readonly isCut: boolean;
  readonly running: readonly RunningRow[];
}

/** What it is sent when something happened. */
export interface DashboardChange {
  readonly rows: readonly StopRow[];
  readonly running: readonly RunningRow[];
}
