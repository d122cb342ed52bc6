import { once } from "../once.ts";
import { type GateOutcome, isComparable } from "../gates/outcome.ts";
import type { Comparer, ComparedRun } from "../features/baseline/comparer.ts";
import type { GuardedOutcomes } from "../features/guards/guards.ts";
import { projectPath } from "../path.ts";
import { coversKey } from "../stop/pass-key.ts";
import type { Plan } from "./plan.ts";
import type { CheckGate, PlannedGate } from "../gates/gate.ts";
import { isPartial, type RunEvent, type RunRequest } from "./request.ts";
import { notNeeded, type Ran, type RunResult } from "./result.ts";
import type { RemoteGates } from "../features/remote/workers/remote-gates.ts";
import { runCheck } from "../gates/check.ts";
import type { GateContext } from "../gates/gate-context.ts";
import { kindOf } from "../system/files/files.ts";
import { sweepScratch } from "../system/files/owned-scratch.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import { trace, withoutOwnCredentials } from "../system/process/environment.ts";
import { GateGroups } from "../system/process/leftovers.ts";
import { conclude } from "./conclude.ts";
import { startRunLog } from "./run-log.ts";
import { openGatePasses } from "./gate-passes.ts";
import { choosePlan, type PlannedRun, type Situation } from "./plan-run.ts";
import type { Project } from "./open.ts";
import { runGates, type RunGatesOptions } from "./gates.ts";
import { GateWatch } from "./stillness.ts";

/** Removes what killed runs left, and loads what this run will need, while git works. */
export function sweepWhileGitWorks({ settings }: Project, request: RunRequest): void {
  setImmediate(() => {
    // A run killed before it had the lock leaves nothing else to be known by; of stops, the next session's start sweeps.
    if (!request.isStop) sweepScratch();
    if (settings.remote?.workers !== undefined) loadRemoteGates().catch(() => {}); // whoever needs it asks again
  });
}

/** What a run comes to that has no gate to run. */
export function nothingToRun(
  { settings }: Project,
  { kind, failed, onEvent }: RunRequest,
  { detected, retries, warnings, plan }: Situation & { readonly plan: Plan },
): RunResult {
  const { changes } = detected;
  const hidden = changes.uncheckedCommits === undefined ? [] : [changes.uncheckedCommits];
  for (const message of [...changes.notes, ...hidden, ...warnings]) onEvent?.({ kind: "warned", message });
  const isUnchanged = changes.files.length === 0 && retries.openFailures.length === 0 && !failed;
  const hasKind = settings.entryPoints.some(({ gates }) => gates.some((gate) => gate.kind === kind));
  const noKind = kind === undefined || hasKind ? undefined : `this project has no ${kind}s`;
  const detail = failed ? "no gate failed in the last run" : noKind;
  const { comparedTo } = changes;
  const nothing = notNeeded(isUnchanged ? "no_changes" : "no_applicable_gates", { detail, comparedTo });
  return { ...nothing, changes, plan, warnings };
}

/** Runs the planned gates and concludes; the caller holds the lock. */
export async function runPlan(project: Project, request: RunRequest, asked: PlannedRun): Promise<RunResult> {
  const { runNumber } = asked;
  using log = startRunLog(project, runNumber);
  using groups = new GateGroups(project.logDir);
  await using watch = new GateWatch(asked.snapshot);
  const onEvent = (event: RunEvent): void => {
    log.record(event);
    watch.note(event);
    request.onEvent?.(event);
  };
  const { changes } = asked.detected;
  const warn = (...messages: readonly string[]): void => {
    for (const message of messages) onEvent({ kind: "warned", message });
  };
  warn(...changes.notes, ...asked.warnings);
  onEvent({ kind: "run-planned", runNumber, changes, plan: asked.plan, guards: guardsIn(project, request) });
  const { onOutput, traceparentOf } = request;
  using workers = new Workers();
  const [onGroup, isGate] = [groups.record.bind(groups), groups.has.bind(groups)];
  const beforeStart = watch.beforeStart.bind(watch);
  const on = { onEvent, beforeStart, onOutput, traceparentOf, onGroup, isGate, workers };
  const before = await gateOptions(project, request, { planned: asked, on });
  await using fixing = await fixBefore(project, request, { planned: asked, options: before.options });
  const planned = fixing?.planned ?? asked;
  warn(...(planned.fixes ?? []));
  if (fixing?.isChanged) watch.restart(planned.snapshot);
  const { passes, options } = fixing?.isChanged
    ? await gateOptions(project, request, { planned, on })
    : before;

  const settled = fixing?.settled;
  const passKey = project.passKey();
  const run = { project, request, planned, ...options };
  fingerprintMeanwhile(planned.snapshot).catch(() => {}); // whoever needs it asks again
  const { outcomes, notices } = await runWatched(run, () => runCompared(run, { ...options, settled }));
  trace("gates done");
  const stillness = once(async () => {
    const seen = await watch.stillness();
    return coversKey(passKey, project.passKey()) ? seen : { ...seen, isStill: false };
  });
  if (passes.hasNews(outcomes) && (await stillness()).isStill)
    await passes.remember(outcomes, { runNumber, isUser: request.isUser, onEvent });

  const consoleLogPath = projectPath(`${project.settings.logDir}/${log.name}`);
  const finished = { project, request, planned, outcomes, notices, consoleLogPath, stillness, passKey };
  const result = await withBaselineHint(await conclude(finished), { project, request, planned });
  warn(...result.warnings.slice(planned.warnings.length));
  log.finish(result);
  trace("concluded");
  return result;
}

interface WatchedRun {
  readonly project: Project;
  readonly request: RunRequest;
  readonly planned: PlannedRun;
  readonly onEvent: RunGatesOptions["onEvent"];
}

/** Runs the gates while the project's guards look at the change; guards speak for a run of everything only. */
async function runWatched(
  { project, request, planned, onEvent }: WatchedRun,
  run: () => Promise<readonly GateOutcome[]>,
): Promise<GuardedOutcomes> {
  if (guardsIn(project, request) === 0) return { outcomes: await run(), notices: [] };
  const { watchChange } = await import("../features/guards/guards.ts"); // patterns of ten languages, which only guards need
  const judgeChange = watchChange(project, request, planned);
  const ran = await run();
  const guarded = await judgeChange(ran);
  for (const outcome of guarded.outcomes.slice(ran.length)) onEvent({ kind: "gate-finished", outcome });
  return guarded;
}

/** How many guards look at the change of a run. */
function guardsIn({ settings }: Project, request: RunRequest): number {
  return isPartial(request) ? 0 : Object.keys(settings.guards ?? {}).length;
}

/** Runs the gates; checks that fail are compared with what was red before if the project wants that. */
async function runCompared(run: ComparedRun, options: RunGatesOptions): Promise<readonly GateOutcome[]> {
  await using comparison = compareWhenRed(run);
  const { settle } = comparison;
  return await runGates(run.planned.plan, { ...options, settle }, run.project.signal); // the earlier tree is removed after it
}

function compareWhenRed(run: ComparedRun): AsyncDisposable & Pick<RunGatesOptions, "settle"> {
  let comparer: Promise<Comparer> | undefined;
  const load = async (): Promise<Comparer> =>
    new (await import("../features/baseline/comparer.ts")).Comparer(run); // most runs have no red check to compare
  return {
    settle: async ({ gate, ...planned }, outcome) => {
      if (gate.kind !== "check" || !isComparable(outcome) || !mayBeExcused(gate, run)) return outcome;
      comparer ??= load();
      return (await comparer).settle({ ...planned, gate }, outcome);
    },
    [Symbol.asyncDispose]: async () => (await comparer)?.[Symbol.asyncDispose](),
  };
}

function mayBeExcused({ onlyNew }: CheckGate, { project, request }: ComparedRun): boolean {
  if (request.onlyNew === false) return false;
  return (
    (request.onlyNew ?? onlyNew) || kindOf(`${project.settings.root}/.gauntlet/baseline.json`) === "file"
  );
}

/** Works out the fingerprint of the tree while the gates run; what concludes the run needs it. */
async function fingerprintMeanwhile(snapshot: Snapshot): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve)); // gates start first
  await snapshot.fingerprint();
  snapshot.sizes();
}

/** A committed baseline that is larger than need be hides what comes back, and an agent may have made it so. */
async function withBaselineHint(result: Ran, run: AskedRun): Promise<Ran> {
  const { env, settings } = run.project;
  const { root } = settings;
  if (kindOf(`${root}/.gauntlet/baseline.json`) !== "file") return result;
  const { sayGrown, baselineAdvice } = await import("../features/baseline/baseline-advice.ts"); // few projects have one
  const hint = await baselineAdvice({ root, env, plan: result.plan, outcomes: result.outcomes });
  run.project.notices.add(...(await sayGrown(run)));
  return { ...result, warnings: hint === undefined ? result.warnings : [...result.warnings, hint] };
}

interface AskedRun {
  readonly project: Project;
  readonly request: RunRequest;
  readonly planned: PlannedRun;
}

async function gateOptions(
  project: Project,
  request: RunRequest,
  { planned, on }: { readonly planned: PlannedRun; readonly on: ContextEvents },
) {
  const passes = await openGatePasses(project, { ...planned, noCache: request.noCache });
  if (passes.problem !== undefined) on.onEvent({ kind: "warned", message: passes.problem });
  const reuse = request.noCache ? undefined : passes.reuse;
  const { maxParallel } = project.settings;
  const runRemotely = await on.workers.open(project, planned, on.onEvent);
  const context = { ...gateContext(project, planned, on), runRemotely };
  const { onEvent, beforeStart } = on;
  return { passes, options: { maxParallel, runGate, context, onEvent, beforeStart, reuse } };
}

/** The only thing that edits the work tree, and only where a check says how: not for CI, not while the agent plans or goes on working. */
async function fixBefore(
  project: Project,
  request: RunRequest,
  { planned, options }: { readonly planned: PlannedRun; readonly options: RunGatesOptions },
) {
  const isAsked = planned.plan.gates.some(({ gate }) => gate.kind === "check" && gate.fix !== undefined);
  if (!isAsked || request.noFix || request.staged || request.logDir !== undefined || project.ci)
    return undefined;
  if (request.event?.permissionMode === "plan") return undefined;
  if (request.event !== undefined && project.settings.stopHook.background) return undefined;
  const { fixFirst } = await import("./fix-first.ts"); // few checks have one
  const replan = (seen: Situation): Promise<Plan> => choosePlan(project, request, seen);
  return fixFirst({ planned, tree: planned.tree, options, replan }, project.signal);
}

type ContextEvents = Pick<GateContext, "onGroup" | "isGate" | "onOutput" | "traceparentOf"> &
  Pick<RunGatesOptions, "onEvent" | "beforeStart"> & { readonly workers: Workers };

/** What every gate of the run gets to know. */
function gateContext(
  { settings, env, query }: Project,
  { runNumber, runId, detected, retries }: PlannedRun,
  on: ContextEvents,
): GateContext {
  return {
    root: settings.root,
    logDir: settings.logDir,
    runNumber,
    runId,
    baseBranch: query.base ?? query.baseBranch,
    env: withoutOwnCredentials(env), // a plain copy: each gate copies it again, and that is quick
    review: {
      changes: detected.changes,
      rerunNewIssueThreshold: settings.rerunNewIssueThreshold,
      attempts: retries.attempts,
      onProgress: (planned, text) => on.onEvent({ kind: "gate-progressed", planned, text }),
    },
    onGroup: on.onGroup,
    isGate: on.isGate,
    onOutput: on.onOutput,
    traceparentOf: on.traceparentOf,
  };
}

/** Runs one gate, whatever its kind. */
async function runGate(
  planned: PlannedGate,
  context: GateContext,
  signal: AbortSignal,
): Promise<GateOutcome> {
  const { gate } = planned;
  switch (gate.kind) {
    case "check": {
      const outcome = await runCheck({ ...planned, gate }, context, signal);
      if (outcome.kind !== "failed" || gate.reruns === undefined) return outcome;
      const { rerunFailed } = await import("./reruns.ts"); // reads logs, which a green check does not need
      return rerunFailed({ ...planned, gate }, outcome, { context, signal });
    }
    case "repl": // loaded by the projects that have such gates, as are reviews
      return (await import("../gates/repl.ts")).runRepl({ ...planned, gate }, context, signal);
    case "review":
      return (await import("../gates/review/review.ts")).runReview({ ...planned, gate }, context, signal);
  }
}

/** Only where gates run on workers: nothing of it is on the way of other stops. */
async function loadRemoteGates() {
  return import("../features/remote/workers/remote-gates.ts");
}

/** The connection of one run to the workers, made when a gate asks for it. */
class Workers implements Disposable {
  readonly #opened: RemoteGates[] = [];

  /** Where checks with `run_on: workers` run; undefined where none is planned. */
  async open(
    { settings, env, query }: Project,
    { plan, snapshot }: { readonly plan: Plan; readonly snapshot: Snapshot },
    onEvent: (event: RunEvent) => void,
  ): Promise<GateContext["runRemotely"]> {
    const workers = settings.remote?.workers;
    const isAsked = plan.gates.some(({ gate }) => gate.kind === "check" && gate.runOn !== undefined);
    if (workers === undefined || !isAsked) return undefined;
    void snapshot.writeTree(); // it is pushed under its name
    const { RemoteGates } = await loadRemoteGates();
    const baseBranch = query.base ?? query.baseBranch;
    const gates = new RemoteGates({ workers, root: settings.root, env, snapshot, baseBranch, onEvent });
    this.#opened.push(gates);
    return gates.runRemotely;
  }

  [Symbol.dispose](): void {
    for (const gates of this.#opened) gates[Symbol.dispose]();
  }
}
