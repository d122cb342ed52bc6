import { definedOnly } from "../core/defined-only.ts";
import type { PassRecord, RunRecord, SessionHistory } from "../core/history.ts";
import { judge } from "../core/judge.ts";
import { describeOutcome, type GateOutcome, isBlocking } from "../core/outcome.ts";
import { takesFiles } from "../core/plan.ts";
import type { Status } from "../core/status.ts";
import { statusMessage } from "../core/status-message.ts";
import { explain } from "../core/trouble.ts";
import { rememberBlock } from "../machine/blocked-session.ts";
import { now } from "../machine/clock.ts";
import { keepPassIndex, writeSession, writeWorkTree } from "../machine/history-store.ts";
import { treeIdOf } from "../machine/snapshot.ts";
import type { KnownFailures } from "./know-failures.ts";
import type { Project } from "./project.ts";
import type { PlannedRun } from "./run-under-lock.ts";
import type { RunRequest, RunResult } from "./run-request.ts";

export interface FinishedRun {
  readonly project: Project;
  readonly request: RunRequest;
  readonly planned: PlannedRun;
  readonly runNumber: number;
  readonly outcomes: readonly GateOutcome[];
}

/** Judges a finished run, writes down what later runs must know, and says what it came to. */
export async function concludeRun(run: FinishedRun): Promise<RunResult> {
  const { project, planned, outcomes, runNumber } = run;
  const [fingerprint, known] = outcomes.some(isBlocking)
    ? await Promise.all([treeIdOf(planned.snapshot), knowFailures(run)])
    : [];
  const judgement = judge(outcomes, planned.session, {
    ...retryBudget(run),
    policy: project.settings.retry,
    progress: known?.progress,
    runNumber,
    fingerprint,
  });
  const told = judgement.status === "failed" ? known?.tell(judgement) : undefined;
  const { status, session, attemptsLeft } = { ...judgement, ...told };
  const lost = await remember(run, { status, session: withFailedFiles(session, run) });
  const facts = factsOf(run, lost);
  if (lost !== undefined && status === "failed") return { ...facts, ...unrecordable(lost) };
  const detail = detailOf(status, outcomes);
  const handoff = status === "retry_limit_exceeded" ? known?.handoff() : undefined;
  const errorMessage = status === "error" ? (detail ?? "") : undefined;
  const extras = definedOnly({ feedback: told?.feedback, handoff, attemptsLeft, errorMessage });
  const message = statusMessage(status, { detail: detail ?? partOf(run, status) });
  return { ...facts, ...extras, status, message };
}

/** What every run tells, whatever it came to. */
function factsOf({ planned, outcomes, runNumber }: FinishedRun, lost: string | undefined) {
  const unwritten = lost === undefined ? [] : [`What this run came to is not recorded. ${lost}`];
  return {
    outcomes,
    ...counts(outcomes),
    runNumber,
    changes: planned.detected.changes,
    plan: planned.plan,
    warnings: [...planned.warnings, ...unwritten],
  };
}

/** As many blocks as progress may earn where the host itself has no cap. */
const MAX_BLOCKS_WITHOUT_CAP = 7;

/** Below the host's own cap, so that it is we who give up, and say so. */
function retryBudget({ project, request }: FinishedRun): { maxRetries: number; maxBlocks: number } {
  const wanted = request.budget?.max ?? project.settings.maxRetries;
  const maxBlocks =
    request.blockCap === undefined ? Math.max(wanted, MAX_BLOCKS_WITHOUT_CAP) : request.blockCap - 1;
  return { maxRetries: Math.min(wanted, maxBlocks), maxBlocks };
}

async function knowFailures(run: FinishedRun): Promise<KnownFailures> {
  const { knowFailures: know } = await import("./know-failures.ts");
  return know(run);
}

/** A state file is no place for more. */
const MOST_FAILED_FILES = 5_000;

/** A gate that was given files and failed gets them again, changed or not, until it passes. */
function withFailedFiles(session: SessionHistory, { planned, runNumber }: FinishedRun): SessionHistory {
  const filesOf = new Map(
    planned.plan.gates.filter(({ gate }) => takesFiles(gate)).map(({ id, files }) => [id, files]),
  );
  const openFailures = session.openFailures.map((failure) => {
    const files = failure.runNumber === runNumber ? filesOf.get(failure.id) : undefined;
    return files === undefined
      ? failure
      : { ...failure, files: files.slice(0, MOST_FAILED_FILES).map(({ path }) => path) };
  });
  return { ...session, openFailures };
}

/** Returns why a record could not be written, if so. */
async function remember(
  run: FinishedRun,
  came: { status: Status; session: SessionHistory },
): Promise<string | undefined> {
  const { project, planned } = run;
  const { stateDir } = project.logDir;
  if (came.status === "failed") rememberBlocked(run, came.session);
  const pass = await passRecord(run, came.status);
  const session = pass === undefined ? came.session : { ...came.session, openFailures: [] };
  const kept = pass ?? planned.workTree.pass;
  const written = [
    writeSession(stateDir, project.session, session),
    writeWorkTree(stateDir, {
      lastRun: runRecord(run, came.status),
      ...(kept === undefined ? {} : { pass: kept }),
    }),
  ];
  const failed = written.find((one) => !one.ok);
  return failed === undefined || failed.ok ? undefined : explain(failed.trouble);
}

/** For the next stop of this session, which may read nothing but this when the host says it is a continuation. */
function rememberBlocked({ project, request }: FinishedRun, session: SessionHistory): void {
  const { root, stopHook } = project.settings;
  const { attempts, promptId } = session;
  const { event } = request;
  if (event === undefined) return;
  const { whenActive } = stopHook;
  rememberBlock(event, project.env, { root, whenActive, attempts, promptId, session: event.sessionId });
}

/** Only a run of everything speaks for the tree, and only if the tree stood still while it ran. */
async function passRecord(run: FinishedRun, status: Status): Promise<PassRecord | undefined> {
  const { project, planned, runNumber } = run;
  if (status !== "passed" && status !== "passed_with_warnings") return undefined;
  if (!isRunOfEverything(run.request) || !(await planned.stoodStill())) return undefined;
  const tree = `${runNumber}-${planned.runId}`;
  keepPassIndex(project.logDir.stateDir, tree, planned.snapshot.keepIndex);
  const { baseCommit } = planned.detected.changes;
  return {
    runNumber,
    tree,
    gateHash: project.settings.gateHash,
    ...(baseCommit === undefined ? {} : { baseCommit }),
    status,
    at: now(),
  };
}

function isRunOfEverything({ gates, kind, commit, uncommitted, base }: RunRequest): boolean {
  return !gates?.length && kind === undefined && commit === undefined && !uncommitted && base === undefined;
}

function runRecord({ planned, runNumber, outcomes }: FinishedRun, status: Status): RunRecord {
  const { branch, head, changes } = planned.detected;
  return {
    number: runNumber,
    status,
    completedAt: now(),
    ...(branch === undefined ? {} : { branch }),
    ...(head === undefined ? {} : { head }),
    merged: head !== undefined && head === changes.baseCommit,
    outcomes,
  };
}

/** A block that cannot be counted could be given for ever. */
function unrecordable(lost: string): Pick<RunResult, "status" | "message" | "errorMessage"> {
  const errorMessage = `gates failed, but the attempt cannot be recorded, so the stop is not blocked. ${lost}`;
  return { status: "error", message: statusMessage("error", { detail: errorMessage }), errorMessage };
}

function counts(outcomes: readonly GateOutcome[]): Pick<RunResult, "gatesRun" | "gatesFailed"> {
  const ran = outcomes.filter(hasRun);
  return { gatesRun: ran.length, gatesFailed: outcomes.filter(isBlocking).length };
}

function hasRun(outcome: GateOutcome): boolean {
  if (outcome.kind === "passed") return outcome.reused === undefined;
  return outcome.kind === "failed" || outcome.kind === "timed-out";
}

function detailOf(status: Status, outcomes: readonly GateOutcome[]): string | undefined {
  if (status === "error")
    return list(outcomes.filter(({ kind }) => kind === "errored" || kind === "cancelled"));
  if (status === "passed_with_warnings") return list(outcomes.filter(isRemarkable));
  return status === "failed"
    ? `issues must be fixed before stopping: ${list(outcomes.filter(isBlocking))}`
    : undefined;
}

/** A pass of some gates must not read like a pass of all. */
function partOf({ request, outcomes }: FinishedRun, status: Status): string | undefined {
  if (status !== "passed") return undefined;
  if (request.gates?.length)
    return `only what was asked for ran: ${outcomes.map(({ name }) => name).join(", ")}`;
  return request.kind === undefined ? undefined : `all ${request.kind}s completed successfully`;
}

/** Anything but a plain pass. */
function isRemarkable(outcome: GateOutcome): boolean {
  return outcome.kind !== "passed" || outcome.warning !== undefined;
}

function list(outcomes: readonly GateOutcome[]): string | undefined {
  const named = outcomes.map((outcome) => `${outcome.name} ${describeOutcome(outcome)}`);
  return named.length === 0 ? undefined : named.join("; ");
}
