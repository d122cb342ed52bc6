import { type AbsolutePath, projectPath } from "../path.ts";
import { type LogDir, gateLogName } from "../system/logs/log-dir.ts";
import type { Environment } from "../system/process/environment.ts";
import { type LedgerLines, verdictsIn, recentLines, readLedger } from "./ledger-lines.ts";
import type { PastRun } from "../stop/passes.ts";
import { readLastRun } from "../stop/work-tree-store.ts";
import { projectStateDir } from "../system/state/state-keys.ts";
import { ledgerOf } from "./ledger.ts";
import { type VerdictRecord, type RecordedOutcome, outcomeInLedger } from "./verdict-record.ts";

import type { GateOutcome } from "../gates/outcome.ts";
import { join, relative } from "node:path";
import { isInside } from "../system/files/is-inside.ts";
import { modifiedAt } from "../system/files/files.ts";
import type { StopRecord, PastStop } from "../stop/session.ts";
import { findProject } from "../system/files/find-project.ts";

export interface RunPlace {
  readonly root: AbsolutePath;
  readonly logDir: LogDir;
  readonly env: Environment;
}

/** The newest run of a work tree that executed gates, or its newest of this number. */
export function findRun(place: RunPlace, lines: LedgerLines, number?: number): PastRun | undefined {
  const { worktree } = ledgerOf(place.root, place.env);
  for (const record of verdictsIn(lines, number === undefined ? '"run":' : `"run":${number}`)) {
    const isHere = record.worktree === worktree && record.door !== "brepl";
    const isAsked = number === undefined ? record.run !== undefined : record.run === number;
    if (isHere && isAsked) return pastRun(place, record);
  }
  return undefined;
}

/** The same for one who asks every few hundred milliseconds: it is nearly always at the end of the file. */
export function findRunQuickly(place: RunPlace): PastRun | undefined {
  const ledger = ledgerOf(place.root, place.env);
  const found = findRun(place, recentLines(ledger));
  if (found !== undefined) return found;
  const read = readLedger(ledger);
  return read.ok ? findRun(place, read.value) : undefined;
}

/** The run of a verdict, with the details that were kept of the last one; of any other with what its logs still tell. */
export function pastRun(place: RunPlace, record: VerdictRecord): PastRun {
  const { run: number, status, at: completedAt, branch, commit: head } = record;
  const last = readLastRun(projectStateDir(place.root, place.env)).value;
  const details = last !== undefined && isRunOf(last, record) ? last : undefined;
  const outcomes =
    details?.outcomes ?? record.outcomes?.map((outcome) => pastOutcome(outcome, record, place)) ?? [];
  return {
    status,
    completedAt,
    outcomes: outcomes.map((outcome) => withOwnFiles(outcome, place, completedAt)),
    number,
    branch,
    head,
  };
}

function pastOutcome(
  outcome: RecordedOutcome,
  { run = 0, at }: VerdictRecord,
  place: Pick<RunPlace, "root" | "logDir">,
): GateOutcome {
  const log = join(place.logDir.path, gateLogName(outcome.id, run));
  const logPath = isWrittenBefore(log, at) ? projectPath(relative(place.root, log)) : undefined;
  return outcomeInLedger(outcome, logPath);
}

/** A record in the project's directory may name any file, and a later run may have taken its number: only its own logs are shown. */
export function withOwnFiles(
  outcome: GateOutcome,
  { root, logDir }: Pick<RunPlace, "root" | "logDir">,
  endedAt: number,
): GateOutcome {
  const { logPath, report, ...rest } = outcome;
  const isOwn = (directory: string, path: string): boolean =>
    isInside(directory, path) && isWrittenBefore(path, endedAt);
  const isLog = logPath !== undefined && isOwn(logDir.path, join(root, logPath));
  const isReport = report !== undefined && isOwn(root, join(root, report));
  return { ...rest, logPath: isLog ? logPath : undefined, report: isReport ? report : undefined };
}

function isWrittenBefore(path: string, endedAt: number): boolean {
  const at = modifiedAt(path);
  return at !== undefined && at < endedAt + SOON_MS;
}

const SOON_MS = 60_000;
/** Two clocks of one machine may differ by so much. */
const CLOCK_MS = 2_000;

/** A run ends between the question and the verdict; the numbers of runs begin again when the log directory is removed. */
export function isRunOf(
  { number, completedAt }: Pick<PastRun, "number" | "completedAt">,
  { run, at, ms }: VerdictRecord,
): boolean {
  return run === number && completedAt > at - ms - CLOCK_MS && completedAt < at + SOON_MS;
}

/** As far back as lines may have changed places, because several stops ended at once. */
const MIXED_LINES = 50;

interface Remembered {
  readonly details: readonly StopRecord[];
  readonly isHere: (stop: StopRecord) => boolean;
}

/** The stops of a work tree, the newest first. One that is not in the ledger, because that could not be written, is among them. */
export function* pastStops(
  lines: LedgerLines,
  worktree: string | undefined,
  { details, isHere }: Remembered = { details: [], isHere: () => false },
): Generator<PastStop> {
  const recent = { ...lines, lines: lines.lines.slice(-MIXED_LINES) };
  const lastAt = Math.max(0, ...[...verdictsIn(recent)].map(({ at }) => at));
  for (const one of details) if (one.at > lastAt && isHere(one)) yield { details: one };
  const byTime = new Map(details.map((one) => [one.at, one]));
  for (const line of verdictsIn(lines, '"decision":')) {
    if (line.decision === undefined || line.worktree !== worktree) continue;
    const known = byTime.get(line.at);
    const isSame = known?.verdict.status === line.status && known.event.host === line.host;
    yield known !== undefined && isSame ? { line, details: known } : { line };
  }
}

/** Whether a stop was in the same project; outside of projects, in the same directory. */
export function isHere({ event }: StopRecord, cwd: string): boolean {
  return (findProject(event.cwd) ?? event.cwd) === (findProject(cwd) ?? cwd);
}
