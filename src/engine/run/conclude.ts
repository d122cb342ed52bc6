import type { BlockedStop, KeptState } from "../../core/record/session-record.ts";
import { definedOnly } from "../../core/defined-only.ts";
import { gateId } from "../../core/gate.ts";
import type { PassRecord, RunRecord, SessionHistory } from "../../core/record/history.ts";
import { judge, isWarning } from "../../core/stop/judge.ts";
import {
  type GateOutcome,
  isBlocking,
  hasRun,
  isOutOfReach,
  missingNotices,
  nameOutcome,
} from "../../core/outcome.ts";
import { takesFiles } from "../../core/plan/plan.ts";
import type { Notice } from "../../core/stop/verdict.ts";
import { isPartial, type Judged, type Ran, type RunRequest } from "../../core/run.ts";
import { type Status, statusMessage } from "../../core/stop/status.ts";
import { explain } from "../../core/trouble.ts";
import { now } from "../../machine/clock.ts";
import { treeIdOf } from "../../machine/git/tree-id.ts";
import { writeLastRun, writeSession, writePass } from "../../machine/state/history.ts";
import { announceState } from "../trust/kept-state.ts";
import type { Failures } from "./failures.ts";
import type { Project } from "./project.ts";
import type { PlannedRun } from "./plan-run.ts";
import type { Stillness } from "./stillness.ts";

export interface FinishedRun {
  readonly project: Project;
  readonly request: RunRequest;
  readonly planned: PlannedRun;
  readonly outcomes: readonly GateOutcome[];
  readonly consoleLogPath: string;
  readonly stillness: () => Promise<Stillness>;
  /** What the user learns unless the stop is blocked. */
  readonly notices: readonly Notice[];
}

/** Judges a finished run, writes down what later runs must know, and reports the result. */
export async function conclude(run: FinishedRun): Promise<Ran> {
  const { project, planned, outcomes, consoleLogPath } = run;
  const { runNumber } = planned;
  const { tree, failures } = await lookBack(run);
  const judgement = judge(outcomes, planned.session, {
    ...retryBudget(run),
    policy: project.settings.retry,
    progress: failures?.progress,
    runNumber,
    fingerprint: tree,
  });
  const feedback = judgement.status === "failed" ? failures?.feedback(judgement) : undefined;
  const { session, attemptsLeft } = { ...judgement, ...feedback };
  const { status, doubt, doubts } = await inDoubt(run, judgement.status);
  const pass = await passRecord(run, status, tree);
  const { lost, warnings, kept } = remember(run, { pass, session: withFailedFiles(session, run) });
  const facts = {
    kind: "ran" as const,
    outcomes,
    ...counts(outcomes),
    runNumber,
    changes: planned.detected.changes,
    plan: planned.plan,
    judged: judged(run, { tree, pass }),
    consoleLogPath,
    notices: noticesOf(run, status),
    warnings: [...planned.warnings, ...doubts, ...warnings],
    kept,
  };
  if (lost !== undefined && status === "failed" && run.request.event !== undefined)
    return { ...facts, warnings: [...planned.warnings, ...doubts], ...uncountable(outcomes, lost) };
  const detail = detailOf(status, outcomes) ?? doubt;
  const message = messageOf(run, status, detail);
  return {
    ...facts,
    status,
    message,
    ...definedOnly({
      feedback: feedback?.text,
      handoff: status === "retry_limit_exceeded" ? failures?.handoff() : undefined,
      attemptsLeft,
      errorMessage: status === "error" ? (detail ?? "") : undefined,
      blocked: status === "failed" ? blockedStop(run, session) : undefined,
    }),
  };
}

/** The tree that was judged, and what failed. Of a pass it is asked later whether the tree stood still: git looks meanwhile. */
async function lookBack(run: FinishedRun) {
  const isRed = run.outcomes.some(isBlocking);
  const [tree, failures] = await Promise.all([
    run.planned.snapshot.fingerprint().then(treeIdOf),
    isRed ? readFailures(run) : undefined,
    isRed ? undefined : run.stillness(),
  ]);
  return { tree, failures };
}

/** While the agent has to go on, what it did may still be undone. */
function noticesOf({ notices, outcomes }: FinishedRun, status: Status): readonly Notice[] {
  return status === "failed" ? missingNotices(outcomes) : notices;
}

/** A pass of gates that did not see the same files gets a warning. */
async function inDoubt({ stillness }: FinishedRun, status: Ran["status"]) {
  const isPass = status === "passed" || status === "passed_with_warnings";
  const doubt = isPass ? (await stillness()).doubt : undefined;
  if (doubt === undefined) return { status, doubts: [] };
  const told = `${doubt.charAt(0).toUpperCase()}${doubt.slice(1)}.`;
  return { status: "passed_with_warnings" as const, doubt, doubts: [told] };
}

/** For the next stop of this session, which may read nothing else when the host says it is a continuation. */
function blockedStop(
  { project, request }: FinishedRun,
  { attempts, promptId }: SessionHistory,
): BlockedStop | undefined {
  const { root, stopHook } = project.settings;
  return request.event === undefined
    ? undefined
    : { root, whenActive: stopHook.whenActive, attempts, promptId, session: request.event.sessionId };
}

/** By a user at the terminal: nothing was judged, so it costs nothing. A stop hook's deadline is another matter. */
function wasInterrupted({ request }: FinishedRun): boolean {
  return request.checkInterval !== true && request.signal?.aborted === true;
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

async function readFailures(run: FinishedRun): Promise<Failures> {
  const { failuresOf } = await import("./failures.ts"); // the parsers of forty tools, which a green run does not need
  return failuresOf(run);
}

/** Keeps the state file small. */
const MOST_FAILED_FILES = 5_000;

/** A gate that was given files and failed gets them again, changed or not, until it passes. */
function withFailedFiles(session: SessionHistory, { planned }: FinishedRun): SessionHistory {
  const { runNumber } = planned;
  const filesOf = new Map(
    planned.plan.gates.filter(({ gate }) => takesFiles(gate)).map(({ id, files }) => [id, files]),
  );
  const openFailures = session.openFailures.map((failure) => {
    const files = failure.runNumber === runNumber ? filesOf.get(gateId(failure.gate)) : undefined;
    return files === undefined
      ? failure
      : { ...failure, files: files.slice(0, MOST_FAILED_FILES).map(({ path }) => path) };
  });
  return { ...session, openFailures };
}

interface Remembered {
  /** Why the run could not be written down, if so. */
  readonly lost?: string;
  readonly warnings: readonly string[];
  readonly kept?: KeptState | undefined;
}

function remember(
  run: FinishedRun,
  { pass, session }: { pass: PassRecord | undefined; session: SessionHistory },
): Remembered {
  const { project, planned } = run;
  const { stateDir } = project.logDir;
  const passed = pass && writePass(project.passDir, pass, planned.snapshot.keepIndex);
  const isPassLost = passed?.ok === false;
  const judgedSession = wasInterrupted(run) ? planned.session : session;
  const { openGuards: _closed, ...passedSession } = judgedSession;
  const closed = pass === undefined ? judgedSession : { ...passedSession, openFailures: [] };
  const kept = announceState(project, run.request, closed);
  const written = [
    writeSession(stateDir, project.session, closed),
    writeLastRun(stateDir, { ...runRecord(run), ...(isPassLost ? { isPassLost } : {}) }),
  ];
  const failed = written.find((one) => !one.ok);
  const wasTold = planned.workTree.lastRun?.isPassLost === true;
  const passLost = isPassLost && !wasTold ? [`${PASS_LOST} ${explain(passed.trouble)}`] : [];
  if (failed === undefined || failed.ok) return { warnings: passLost, kept };
  const lost = explain(failed.trouble);
  return { lost, warnings: [`This run is not recorded. ${lost}`, ...passLost] };
}

const PASS_LOST = "This pass cannot be kept, so the gates run at every stop, changed or not.";

/** Only a run of everything speaks for the tree, and only if the tree stood still while it ran. */
async function passRecord(
  run: FinishedRun,
  status: Status,
  fingerprint: string | undefined,
): Promise<PassRecord | undefined> {
  const { project, planned } = run;
  const { runNumber } = planned;
  if (status !== "passed" && status !== "passed_with_warnings") return undefined;
  if (!isRunOfEverything(run.request) || !(await run.stillness()).isStill) return undefined;
  const since = restsSince(run.outcomes);
  if (since !== undefined && run.request.onlyNew) return undefined; // the project did not ask for it
  const tree = `${runNumber}-${planned.runId}`;
  const { baseCommit, head } = planned.detected.changes;
  return {
    runNumber,
    tree,
    gateHash: project.settings.gateHash,
    ...definedOnly({ fingerprint, baseCommit, head, since }),
    status,
    at: now(),
  };
}

/** What the excused gates were compared with. */
function restsSince(outcomes: readonly GateOutcome[]): string | undefined {
  const excused = outcomes.find((one) => one.kind === "passed" && one.rests === "baseline");
  if (excused === undefined) return undefined;
  return excused.baseline?.kind === "compared" ? (excused.baseline.reference ?? "") : "";
}

function judged(
  { project, planned }: FinishedRun,
  { tree, pass }: { tree: string | undefined; pass: PassRecord | undefined },
): Judged {
  const { branch, head: commit, changes } = planned.detected;
  const { baseCommit: base } = changes;
  return {
    gates: project.settings.gateHash,
    ...definedOnly({ branch, commit, tree, base }),
    whole: pass !== undefined,
  };
}

function isRunOfEverything(request: RunRequest): boolean {
  const { commit, uncommitted, staged, base } = request;
  return !isPartial(request) && commit === undefined && !uncommitted && !staged && base === undefined;
}

function runRecord({ planned, outcomes }: FinishedRun): RunRecord {
  const { branch, head, changes } = planned.detected;
  return {
    number: planned.runNumber,
    completedAt: now(),
    ...(branch === undefined ? {} : { branch }),
    ...(head === undefined ? {} : { head }),
    merged: head !== undefined && head === changes.baseCommit,
    outcomes,
  };
}

/** A block that cannot be counted could be repeated endlessly. */
function uncountable(
  outcomes: readonly GateOutcome[],
  lost: string,
): Pick<Ran, "status" | "message" | "errorMessage"> {
  const red = list(outcomes.filter(isBlocking)) ?? "gates failed";
  const errorMessage = `${red}; the attempt cannot be recorded, so the stop is not blocked. ${lost}`;
  return { status: "error", message: statusMessage("error", { detail: errorMessage }), errorMessage };
}

function counts(outcomes: readonly GateOutcome[]): Pick<Ran, "gatesRun" | "gatesFailed"> {
  return { gatesRun: outcomes.filter(hasRun).length, gatesFailed: outcomes.filter(isBlocking).length };
}

/** Attempts and what happens at a stop mean nothing to a user who ran the gates: a red run names what fails, however many came before. */
function messageOf(run: FinishedRun, status: Ran["status"], detail: string | undefined): string {
  const isRed = status === "failed" || status === "retry_limit_exceeded";
  if (isRed && run.request.event === undefined)
    return statusMessage("failed", { detail: list(run.outcomes.filter(isBlocking)) });
  return statusMessage(status, { detail: detail ?? partOf(run, status) });
}

function detailOf(status: Status, outcomes: readonly GateOutcome[]): string | undefined {
  if (status === "error")
    return list(outcomes.filter(({ kind }) => kind === "errored" || kind === "cancelled"));
  if (status === "passed_with_warnings") return list(outcomes.filter(isWarning));
  const red = outcomes.filter(isBlocking);
  if (status === "retry_limit_exceeded" && red.every(isOutOfReach))
    return `not everything could be checked: ${list(red)}`;
  return status === "failed" ? `issues must be fixed before stopping: ${list(red)}` : undefined;
}

/** A pass of some gates must not read like a pass of all. */
function partOf({ request, outcomes }: FinishedRun, status: Status): string | undefined {
  if (status !== "passed") return undefined;
  if (isPartial(request) && request.kind === undefined)
    return `only what was asked for ran: ${outcomes.map(({ name }) => name).join(", ")}`;
  return request.kind === undefined ? undefined : `all ${request.kind}s completed successfully`;
}

function list(outcomes: readonly GateOutcome[]): string | undefined {
  const named = outcomes.map(nameOutcome);
  return named.length === 0 ? undefined : named.join("; ");
}
