import { withRetries } from "../stop/session.ts";
import { gateId, takesFiles } from "../gates/gate.ts";
import type { PassRecord, RunRecord } from "../stop/passes.ts";
import type { RetryState } from "../stop/retry-state.ts";
import { excuseNotices, missingProgramNotices, type Notice } from "../stop/notices.ts";
import { isPartial, type RunRequest } from "./request.ts";
import { writeLastRun, writePass } from "../stop/work-tree-store.ts";
import type { PassKey } from "../stop/pass-key.ts";
import { judge, isWarning } from "../stop/judge.ts";
import { type GateOutcome, isBlocking, hasRun, isOutOfReach, nameOutcome } from "../gates/outcome.ts";

import { type Judged, type Ran } from "./result.ts";
import { type Status, statusMessage } from "../stop/status.ts";
import { explain, ok } from "../trouble.ts";
import { now } from "../system/clock.ts";
import { treeIdOf } from "../system/git/tree-id.ts";
import { trace } from "../system/process/environment.ts";
import { type ActiveRun, hasBaseline, type PreparedGates } from "./active-run.ts";
import type { Project } from "./open.ts";
import type { PlannedRun } from "./plan-run.ts";
import { stages } from "./stages.ts";
import type { Stillness } from "./stillness.ts";

export interface FinishedRun extends RanGates {
  readonly project: Project;
  readonly request: RunRequest;
  readonly planned: PlannedRun;
  readonly consoleLogPath: string;
  readonly stillness: () => Promise<Stillness>;
  /** What a pass of it is bound to. */
  readonly passKey: PassKey;
}

/** The outcomes of gates and guards, and what guards have to tell the user unless the stop is blocked. */
interface RanGates {
  readonly outcomes: readonly GateOutcome[];
  readonly notices: readonly Notice[];
}

/** Remembers the gates that passed, judges the run, and writes down what later runs must know. */
export async function conclude(run: ActiveRun, gates: PreparedGates, ran: RanGates): Promise<Ran> {
  const { project, request, planned, consoleLogPath } = run;
  const { passes, passKey, stillness } = gates;
  planned.tree.ignoreFiles().catch(() => {}); // whoever needs it asks again
  const { outcomes, notices } = ran;
  if (passes.hasNews(outcomes) && (await stillness()).isStill)
    await passes.remember(outcomes, {
      runNumber: planned.runNumber,
      isUser: request.isUser,
      onEvent: run.tell,
    });

  const finished = { project, request, planned, outcomes, notices, consoleLogPath, stillness, passKey };
  if (request.ahead !== undefined) await (await stages.ahead()).keepOutcomes(finished);
  const result = await withBaselineHint(await judgeRun(finished), run);
  run.warn(...result.warnings.slice(planned.warnings.length));
  run.log.finish(result);
  trace("concluded");
  return result;
}

/** A committed baseline that is larger than need be hides what comes back, and an agent may have made it so. */
async function withBaselineHint(result: Ran, run: ActiveRun): Promise<Ran> {
  const { settings, env, notices } = run.project;
  if (!hasBaseline(run.project)) return result;
  const { sayGrown, baselineAdvice } = await stages.baseline();
  const { plan, outcomes } = result;
  const hint = await baselineAdvice({ root: settings.root, env, plan, outcomes });
  notices.add(...(await sayGrown(run.project, run.request, run.planned)));
  return { ...result, warnings: hint === undefined ? result.warnings : [...result.warnings, hint] };
}

async function judgeRun(run: FinishedRun): Promise<Ran> {
  const { project, request, planned, outcomes, consoleLogPath } = run;
  const { runNumber } = planned;
  const { tree, failures } = await readTreeAndFailures(run);
  const judgement = judge(outcomes, planned.retries, {
    ...retryBudget(run),
    policy: project.settings.retry,
    progress: failures?.progress,
    runNumber,
    fingerprint: await planned.snapshot.state(),
  });
  const feedback = judgement.status === "failed" ? failures?.feedback(judgement) : undefined;
  const retries = feedback?.retries ?? judgement.retries;
  const { status, doubt, doubts } = await inDoubt(run, judgement.status);
  const pass = await passRecord(run, status, tree);
  const { lost, warnings } = remember(run, { pass, status, retries: withFailedFiles(retries, run) });
  project.notices.add(...noticesOf(run, status));
  const facts = {
    kind: "ran" as const,
    outcomes,
    ...counts(outcomes),
    runNumber,
    changes: planned.detected.changes,
    plan: planned.plan,
    judged: await judged(run, { tree, pass }),
    consoleLogPath,
    warnings: [...planned.warnings, ...doubts, ...warnings],
  };
  if (lost !== undefined && status === "failed" && request.event !== undefined)
    return { ...facts, warnings: [...planned.warnings, ...doubts], ...uncountable(outcomes, lost) };
  const detail = detailOf(status, outcomes) ?? doubt;
  const message = messageOf(run, status, detail);
  return {
    ...facts,
    status,
    message,
    feedback: feedback?.text,
    handoff: status === "retry_limit_exceeded" ? failures?.handoff() : undefined,
    attemptsLeft: judgement.attemptsLeft,
    errorMessage: status === "error" ? (detail ?? "") : undefined,
  };
}

/** While the agent has to go on, what guards found may still be undone. */
function noticesOf({ outcomes, notices }: FinishedRun, status: Status): readonly Notice[] {
  const own = status === "failed" ? missingProgramNotices(outcomes) : notices;
  return [...own, ...outcomes.flatMap(excuseNotices)];
}

/** The tree that was judged, and what failed. Whether the tree stood still is asked of a pass alone; git works meanwhile. */
async function readTreeAndFailures(run: FinishedRun) {
  const isRed = run.outcomes.some(isBlocking);
  const [tree, failures] = await Promise.all([
    run.planned.snapshot.fingerprint().then(treeIdOf),
    isRed ? stages.red().then(({ failuresOf }) => failuresOf(run)) : undefined,
    isRed ? undefined : run.stillness(),
  ]);
  return { tree, failures };
}

/** A pass of gates that did not see the same files gets a warning. */
async function inDoubt({ stillness }: FinishedRun, status: Ran["status"]) {
  const isPass = status === "passed" || status === "passed_with_warnings";
  const doubt = isPass ? (await stillness()).doubt : undefined;
  if (doubt === undefined) return { status, doubts: [] };
  const told = `${doubt.charAt(0).toUpperCase()}${doubt.slice(1)}.`;
  return { status: "passed_with_warnings" as const, doubt, doubts: [told] };
}

/** By a user at the terminal: nothing was judged, so it costs nothing. A stop hook's deadline is another matter. */
function wasInterrupted({ request }: FinishedRun): boolean {
  return request.isStop !== true && request.signal?.aborted === true;
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

/** Keeps the state file small. */
const MOST_FAILED_FILES = 5_000;

/** A gate that was given files and failed gets them again, changed or not, until it passes. */
function withFailedFiles(retries: RetryState, { planned }: FinishedRun): RetryState {
  const { runNumber } = planned;
  const filesOf = new Map(
    planned.plan.gates.filter(({ gate }) => takesFiles(gate)).map(({ id, files }) => [id, files]),
  );
  const openFailures = retries.openFailures.map((failure) => {
    const files = failure.runNumber === runNumber ? filesOf.get(gateId(failure.gate)) : undefined;
    return files === undefined
      ? failure
      : { ...failure, files: files.slice(0, MOST_FAILED_FILES).map(({ path }) => path) };
  });
  return { ...retries, openFailures };
}

interface Concluded {
  readonly pass: PassRecord | undefined;
  readonly status: Status;
  readonly retries: RetryState;
}

/** Writes down what later runs must know; `lost` is why this run could not be, if so. */
function remember(
  run: FinishedRun,
  { pass, status, retries }: Concluded,
): { readonly lost?: string; readonly warnings: readonly string[] } {
  const { project, planned } = run;
  const { session, stateDir } = project;
  const passed = pass && writePass(stateDir, pass, planned.snapshot.keepIndex);
  const isPassLost = passed?.ok === false;
  const judgedRetries = wasInterrupted(run) ? planned.retries : retries;
  const closed =
    pass === undefined ? judgedRetries : { ...judgedRetries, openFailures: [], openGuards: undefined };
  rememberInSession(run, status, closed);
  const saved = session.save();
  const isCancelled = run.request.ahead !== undefined && project.signal.aborted; // nobody asked for what it found
  const record = { ...runRecord(run), isPassLost: isPassLost || undefined };
  const written = isCancelled ? ok(undefined) : writeLastRun(stateDir, record);
  const wasTold = planned.workTree.lastRun?.isPassLost === true;
  const passLost = isPassLost && !wasTold ? [`${PASS_LOST} ${explain(passed.trouble)}`] : [];
  if (!saved.ok) {
    const lost = explain(saved.trouble);
    return { lost, warnings: [`This run is not recorded. ${lost}`, ...passLost] };
  }
  const beside = saved.value === "saved-with-the-logs" ? [SAVED_WITH_THE_LOGS] : [];
  const unrecorded =
    written.ok || isPassLost ? [] : [`This run is not recorded. ${explain(written.trouble)}`];
  return { warnings: [...beside, ...unrecorded, ...passLost] };
}

const SAVED_WITH_THE_LOGS =
  "The state directory cannot be written to, so this session's attempts are kept in `log_dir`, where the agent can change them.";

/** What the session has spent here, and whether its next stop follows a block. */
function rememberInSession({ project, request }: FinishedRun, status: Status, retries: RetryState): void {
  const { session, settings } = project;
  const { root, stopHook } = settings;
  session.change(withRetries(root, retries));
  const { event } = request;
  if (event === undefined || status !== "failed") return;
  const { whenActive } = stopHook;
  const blocked = { root, whenActive, promptId: retries.promptId, session: event.sessionId };
  session.change((stored) => ({ ...stored, blocked }));
}

const PASS_LOST = "This pass cannot be kept, so the gates run at every stop, changed or not.";

/** Only a run of everything speaks for the tree, and only if the tree stood still while it ran. */
async function passRecord(
  run: FinishedRun,
  status: Status,
  fingerprint: string | undefined,
): Promise<PassRecord | undefined> {
  const { planned } = run;
  const { runNumber } = planned;
  if (status !== "passed" && status !== "passed_with_warnings") return undefined;
  if (run.project.signal.aborted) return undefined; // guards may not have finished
  const isGuarded = run.request.noGuards !== true || run.project.settings.guards === undefined;
  if (!isRunOfEverything(run.request) || !isGuarded || !(await run.stillness()).isStill) return undefined;
  const since = reliesOn(run.outcomes);
  if (since !== undefined && run.request.onlyNew) return undefined; // the project did not ask for it
  const { baseCommit, head } = planned.detected.changes;
  return {
    runNumber,
    indexName: `${runNumber}-${planned.runId}`,
    key: run.passKey,
    passed: run.outcomes.filter(({ kind }) => kind === "passed").map(({ id }) => id),
    fingerprint,
    sizes: planned.snapshot.sizes(),
    baseCommit,
    head,
    since,
    ignoreFiles: await planned.tree.ignoreFiles(),
    status,
    at: now(),
    isAhead: run.request.ahead === undefined ? undefined : true,
  };
}

/** What the excused gates were compared with. */
function reliesOn(outcomes: readonly GateOutcome[]): string | undefined {
  const excused = outcomes.find((one) => one.kind === "passed" && one.rests === "baseline");
  if (excused === undefined) return undefined;
  return excused.baseline?.kind === "compared" ? (excused.baseline.reference ?? "") : "";
}

async function judged(
  { planned, passKey, request }: FinishedRun,
  { tree, pass }: { tree: string | undefined; pass: PassRecord | undefined },
): Promise<Judged> {
  const { branch, head: commit, changes } = planned.detected;
  const { baseCommit: base } = changes;
  const facts = { branch, commit, tree, sizes: planned.snapshot.sizes(), base, gates: passKey.gates };
  if (pass === undefined) return facts;
  const byUser = (await request.isUser?.()) === true;
  return { ...facts, whole: true, environment: passKey.environment, byUser };
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
    branch,
    head,
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
