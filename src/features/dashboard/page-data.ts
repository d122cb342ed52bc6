import type { GateOutcome } from "../../gates/outcome.ts";
import type { Status } from "../../stop/status.ts";
import type { Support, VerdictHead, VerdictRecord } from "../../ledger/verdict-record.ts";
import type { Severity } from "../../feedback/problem.ts";

export type PageData = RunPage | { readonly kind: "dashboard"; readonly version: string };

/** One run as a page. Every text in it is safe to show: no escape codes, nothing invisible, secrets masked. */
export interface RunPage {
  readonly kind: "run";
  readonly version: string;
  readonly project: string;
  readonly root?: string;
  /** Absent for a run in which no gate was called for. */
  readonly run?: number;
  readonly status: Status;
  readonly completedAt: number;
  readonly branch?: string;
  readonly commit?: string;
  readonly gates: readonly GateView[];
  readonly files: readonly FileProblems[];
  readonly attempts: readonly AttemptView[];
}

export interface GateView {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly gate: GateOutcome["gate"];
  readonly outcome: GateOutcome["kind"];
  readonly words: string;
  readonly blocks: boolean;
  readonly ms: number;
  /** After the first gate began; unknown in records of older versions. */
  readonly startedMs?: number;
  readonly rests?: Support;
  readonly log?: LogView;
}

export interface LogView {
  readonly path: string;
  readonly text: string;
  readonly leftOut?: number;
}

export interface FileProblems {
  readonly file?: string;
  /** The file is not as it was when the gates looked at it, so the lines shown may be others. */
  readonly isChanged?: boolean;
  readonly problems: readonly ProblemView[];
}

export interface ProblemView {
  readonly gate: string;
  readonly severity: Severity;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly code?: string;
  readonly test?: string;
  readonly excerpt?: string;
  readonly isNew?: boolean;
  readonly frame?: CodeFrame;
}

export interface CodeFrame {
  readonly first: number;
  readonly lines: readonly string[];
}

export interface AttemptView {
  readonly at: number;
  readonly run: number;
  readonly status: Status;
  readonly decision?: "allow" | "block";
  readonly left?: number;
  readonly ms: number;
  readonly red: readonly string[];
  /** What the agent read, if the log of that run still exists. */
  readonly told?: string;
}

export interface StopRow extends VerdictHead, Pick<VerdictRecord, "branch" | "commit" | "outcomes"> {
  readonly project: string;
}

export interface ProjectRow {
  readonly key: string;
  readonly name: string;
  readonly root?: string;
}

export interface RunningRow {
  readonly project: string;
  readonly root: string;
  readonly since: number;
  readonly session?: string;
  readonly run?: number;
  readonly gates: readonly string[];
  readonly finished: number;
  /** It runs while the agent works, and nobody waits for it. */
  readonly isAhead: boolean;
}

export interface DashboardState {
  readonly projects: readonly ProjectRow[];
  readonly rows: readonly StopRow[];
  readonly isCut: boolean;
  readonly running: readonly RunningRow[];
}

export interface DashboardChange {
  readonly rows: readonly StopRow[];
  readonly running: readonly RunningRow[];
}

const AROUND = 3;
const LONGEST_LINE = 300;

export function frameAround(lines: readonly string[], line: number): CodeFrame | undefined {
  if (!(line >= 1 && line <= lines.length)) return undefined;
  const first = Math.max(1, line - AROUND);
  const shown = lines.slice(first - 1, line + AROUND);
  return { first, lines: shown.map((one) => one.slice(0, LONGEST_LINE)) };
}

/** What the agent read, from the log a run writes for people: the part between the first empty line and the status. */
export function toldIn(consoleLog: string): string | undefined {
  const start = consoleLog.indexOf("\n\n");
  const end = consoleLog.lastIndexOf("\n\nStatus: ");
  return start === -1 || end <= start ? undefined : consoleLog.slice(start + 2, end);
}

export interface ComparedLine {
  readonly text: string;
  readonly change: "same" | "new" | "gone";
}

/** How the agent's feedback differs from the attempt before: which lines are new, and which are gone. */
export function compareTold(before: string, now: string): readonly ComparedLine[] {
  const old = before.split("\n");
  const current = now.split("\n");
  if (old.length * current.length > MOST_CELLS)
    return current.map((text) => ({ text, change: old.includes(text) ? "same" : "new" }));
  return walk(old, current, commonLengths(old, current));
}

const MOST_CELLS = 4_000_000;

/** `lengths[i][j]`: how many lines two texts have in common, in order, from line i of one and j of the other on. */
function commonLengths(old: readonly string[], current: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(current.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = current.length - 1; j >= 0; j--) {
      const row = lengths[i] ?? new Uint16Array();
      const below = lengths[i + 1] ?? new Uint16Array();
      row[j] = old[i] === current[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  return lengths;
}

function walk(
  old: readonly string[],
  current: readonly string[],
  lengths: readonly Uint16Array[],
): readonly ComparedLine[] {
  const compared: ComparedLine[] = [];
  const common = (one: number, other: number): number => lengths[one]?.[other] ?? 0;
  let i = 0;
  let j = 0;
  while (i < old.length && j < current.length) {
    const isSame = old[i] === current[j];
    const isNew = !isSame && common(i, j + 1) > common(i + 1, j);
    if (isSame) compared.push({ text: current[j++] ?? "", change: "same" });
    else if (isNew) compared.push({ text: current[j++] ?? "", change: "new" });
    else compared.push({ text: old[i] ?? "", change: "gone" });
    if (!isNew) i++;
  }
  const gone = old.slice(i).map((text) => ({ text, change: "gone" as const }));
  const added = current.slice(j).map((text) => ({ text, change: "new" as const }));
  return [...compared, ...gone, ...added];
}
