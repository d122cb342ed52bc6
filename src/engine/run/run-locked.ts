import { once } from "../../core/once.ts";
import type { GateOutcome } from "../../core/outcome.ts";
import { projectPath } from "../../core/path.ts";
import type { Plan, PlannedGate } from "../../core/plan/plan.ts";
import {
  notNeeded,
  type Ran,
  type RunEvent,
  type RunRequest,
  type RunResult,
  troubled,
} from "../../core/run.ts";
import type { RemoteGates } from "../../fleet/workers/remote-gates.ts";
import { runCheck } from "../../gates/check.ts";
import type { GateContext } from "../../gates/gate-context.ts";
import { kindOf } from "../../machine/files/files.ts";
import { sweepScratch } from "../../machine/files/owned-scratch.ts";
import type { Snapshot } from "../../machine/git/snapshot.ts";
import type { WorkTree } from "../../machine/git/work-tree.ts";
import { trace, withoutSecrets } from "../../machine/process/environment.ts";
import { GateGroups } from "../../machine/process/leftovers.ts";
import { conclude } from "./conclude.ts";
import { startRunLog } from "./run-log.ts";
import { openGatePasses } from "./gate-passes.ts";
import {
  choosePlan,
  lookAround,
  type PlannedRun,
  planRun,
  type Situation,
  withPackages,
} from "./plan-run.ts";
import type { Project } from "./project.ts";
import { guardsIn, runCompared, type RunGatesOptions, runWatched } from "./run-gates.ts";
import { GateSpans, stillnessOf } from "./stillness.ts";

/** Looks, plans, runs the gates and concludes; the caller holds the lock. */
export async function runLocked(
  opened: Project,
  request: RunRequest,
  { tree, runId }: { readonly tree: WorkTree; readonly runId: string },
): Promise<RunResult> {
  setImmediate(() => {
    // While git looks. A run killed before it had the lock leaves nothing else to be known by; of stops, the next session's start sweeps.
    if (!request.checkInterval) sweepScratch();
    if (opened.settings.remote?.workers !== undefined) loadRemoteGates().catch(() => {}); // whoever needs it asks again
  });
  const looked = await lookAround(opened, request, tree);
  trace("changes detected, snapshot taken");
  if (!looked.ok) return troubled(looked.trouble);
  const project = await withPackages(opened, looked.value.detected, tree);
  const planned = await planRun(project, request, looked.value);
  if (!planned.ok) return troubled(planned.trouble);
  if (planned.value.plan.gates.length === 0) return nothingToRun(project, request, planned.value);
  return runPlan(project, request, { ...planned.value, tree, runId });
}

function nothingToRun(
  { settings }: Project,
  { kind, failed, onEvent }: RunRequest,
  { detected, session, warnings, plan }: Situation & { readonly plan: Plan },
): RunResult {
  const { changes } = detected;
  for (const message of [
    ...changes.notes,
    ...(changes.blindTo === undefined ? [] : [changes.blindTo]),
    ...warnings,
  ])
    onEvent?.({ kind: "warned", message });
  const isUnchanged = changes.files.length === 0 && session.openFailures.length === 0 && !failed;
  const hasKind = settings.entryPoints.some(({ gates }) => gates.some((gate) => gate.kind === kind));
  const noKind = kind === undefined || hasKind ? undefined : `this project has no ${kind}s`;
  const detail = failed ? "no gate failed in the last run" : noKind;
  const { comparedTo } = changes;
  const nothing = notNeeded(isUnchanged ? "no_changes" : "no_applicable_gates", { detail, comparedTo });
  return { ...nothing, changes, plan, warnings };
}

async function runPlan(project: Project, request: RunRequest, asked: PlannedRun): Promise<RunResult> {
  const { runNumber } = asked;
  using log = startRunLog(project, runNumber);
  using groups = new GateGroups(project.logDir);
  const spans = new GateSpans();
  const onEvent = (event: RunEvent): void => {
    log.record(event);
    spans.note(event);
    request.onEvent?.(event);
  };
  const { changes } = asked.detected;
  const warn = (...messages: readonly string[]): void => {
    for (const message of messages) onEvent({ kind: "warned", message });
  };
  warn(...changes.notes, ...asked.warnings);
  onEvent({ kind: "run-planned", runNumber, changes, plan: asked.plan, guards: guardsIn(project, request) });
  const { onOutput, traceparentOf } = request;
  using elsewhere = new Elsewhere();
  const [onGroup, isGate] = [groups.record.bind(groups), groups.has.bind(groups)];
  const on = { onEvent, onOutput, traceparentOf, onGroup, isGate, elsewhere };
  const before = await gateOptions(project, request, { planned: asked, on });
  await using fixing = await fixBefore(project, request, { planned: asked, options: before.options });
  const planned = fixing?.planned ?? asked;
  warn(...(planned.fixes ?? []));
  if (fixing?.isChanged) spans.forget();
  const { passes, options } = fixing?.isChanged
    ? await gateOptions(project, request, { planned, on })
    : before;

  const settled = fixing?.settled;
  const run = { project, request, planned, ...options };
  fingerprintMeanwhile(planned.snapshot).catch(() => {}); // whoever needs it asks again
  const { outcomes, notices } = await runWatched(run, () => runCompared(run, { ...options, settled }));
  trace("gates done");
  const stillness = once(() => stillnessOf(planned.snapshot, spans));
  if (passes.hasNews(outcomes) && (await stillness()).isStill)
    await passes.remember(outcomes, { runNumber, onEvent });

  const consoleLogPath = projectPath(`${project.settings.logDir}/${log.name}`);
  const finished = { project, request, planned, outcomes, notices, consoleLogPath, stillness };
  const result = await withBaselineHint(await conclude(finished), { project, request, planned });
  warn(...result.warnings.slice(planned.warnings.length));
  log.finish(result);
  trace("concluded");
  return result;
}

/** Works out the fingerprint of the tree while the gates run; what concludes the run needs it. */
async function fingerprintMeanwhile(snapshot: Snapshot): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve)); // gates start first
  await snapshot.fingerprint();
}

/** A committed baseline that is larger than need be hides what comes back, and an agent may have made it so. */
async function withBaselineHint(result: Ran, run: AskedRun): Promise<Ran> {
  const { root } = run.project.settings;
  if (kindOf(`${root}/.gauntlet/baseline.json`) !== "file") return result;
  const { sayGrown, sayUnneeded } = await import("../baseline/unneeded.ts"); // few projects have one
  const hint = await sayUnneeded(root, result.plan, result.outcomes);
  const notices = [...result.notices, ...(await sayGrown(run))];
  return { ...result, notices, warnings: hint === undefined ? result.warnings : [...result.warnings, hint] };
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
  const elsewhere = await on.elsewhere.open(project, planned, on.onEvent);
  const context = { ...gateContext(project, planned, on), elsewhere };
  return { passes, options: { maxParallel, runGate, context, onEvent: on.onEvent, reuse } };
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
  Pick<RunGatesOptions, "onEvent"> & { readonly elsewhere: Elsewhere };

/** What every gate of the run gets to know. */
function gateContext(
  { settings, env, query }: Project,
  { runNumber, runId, detected, session }: PlannedRun,
  on: ContextEvents,
): GateContext {
  return {
    root: settings.root,
    logDir: settings.logDir,
    runNumber,
    runId,
    baseBranch: query.base ?? query.baseBranch,
    env: withoutSecrets(env), // a plain copy: each gate copies it again, and that is quick
    review: {
      changes: detected.changes,
      rerunNewIssueThreshold: settings.rerunNewIssueThreshold,
      attempts: session.attempts,
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
      return (await import("../../gates/repl.ts")).runRepl({ ...planned, gate }, context, signal);
    case "review":
      return (await import("../../gates/review.ts")).runReview({ ...planned, gate }, context, signal);
  }
}

/** Only where gates run on workers: nothing of it is on the way of other stops. */
async function loadRemoteGates() {
  return import("../../fleet/workers/remote-gates.ts");
}

/** The connection of one run to the workers, made when a gate asks for it. */
class Elsewhere implements Disposable {
  readonly #opened: RemoteGates[] = [];

  /** Where checks with `run_on: workers` run; undefined where none is planned. */
  async open(
    { settings, env, query }: Project,
    { plan, snapshot }: { readonly plan: Plan; readonly snapshot: Snapshot },
    onEvent: (event: RunEvent) => void,
  ): Promise<GateContext["elsewhere"]> {
    const workers = settings.remote?.workers;
    const isAsked = plan.gates.some(({ gate }) => gate.kind === "check" && gate.runOn !== undefined);
    if (workers === undefined || !isAsked) return undefined;
    void snapshot.writeTree(); // it is pushed under its name
    const { RemoteGates } = await loadRemoteGates();
    const baseBranch = query.base ?? query.baseBranch;
    const gates = new RemoteGates({ workers, root: settings.root, env, snapshot, baseBranch, onEvent });
    this.#opened.push(gates);
    return gates.elsewhere;
  }

  [Symbol.dispose](): void {
    for (const gates of this.#opened) gates[Symbol.dispose]();
  }
}
