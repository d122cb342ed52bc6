import { diagnosticLine } from "../core/diagnostic.ts";
import type { Notice } from "../core/stop/notice.ts";
import { once } from "../core/once.ts";
import { excuseNotices } from "../core/outcome.ts";
import { projectPath } from "../core/path.ts";
import type { Plan } from "../core/plan.ts";
import {
  notNeeded,
  type Ran,
  type RunEvent,
  type RunRequest,
  type RunResult,
  troubled,
} from "../core/run.ts";
import type { GateContext } from "../gates/gate-context.ts";
import { kindOf } from "../machine/files/files.ts";
import { sweepScratch } from "../machine/git/scratch-index.ts";
import { WorkTree } from "../machine/git/work-tree.ts";
import { prepareLogDir } from "../machine/logs/log-dir.ts";
import { currentEnv, withoutSecrets, trace } from "../machine/process/environment.ts";
import { endOrphans, GateGroups } from "../machine/process/leftovers.ts";
import { keptState } from "../machine/state/history.ts";
import { lockReleased } from "../machine/state/lock.ts";
import { compareWithKept, lockProject, strangeLock } from "./trust/kept-state.ts";
import { tidyUpAfter, tidyUpIfDead } from "./clean.ts";
import { conclude } from "./run/conclude.ts";
import { fitLogDir } from "./run/fit-log-dir.ts";
import { Elsewhere } from "./run/elsewhere.ts";
import { openGatePasses } from "./run/gate-passes.ts";
import { askGuards } from "./run/ask-guards.ts";
import { knownGood, readHistories } from "./run/histories.ts";
import {
  choosePlan,
  lookAround,
  type PlannedRun,
  planRun,
  withPackages,
  type Situation,
} from "./run/plan-run.ts";
import { runGate } from "./run/run-gate.ts";
import { openProject, type Project } from "./run/project.ts";
import { guardsIn, runCompared, runWatched, type RunGatesOptions } from "./run/run-gates.ts";
import { logRequest, startRunLog } from "./run/run-log.ts";
import { GateSpans, stillnessOf } from "./run/stillness.ts";

/** Runs a project's gates. Never exits the process, never writes to stdout, never throws for expected trouble. */
export async function executeRun(request: RunRequest): Promise<RunResult> {
  const opened = await openProject(request);
  trace("settings read");
  if (!opened.ok) return withRemoval(troubled(opened.trouble), request);
  const project = opened.value;
  for (const warning of project.warnings)
    request.onEvent?.({ kind: "warned", message: diagnosticLine(warning) });

  const noteResult = logRequest(project, request);
  let result = await runIfNeeded(project, request);
  while (isBusy(result, project, request) && (await lockReleased(project.logDir.lockFile, project.signal)))
    result = await runIfNeeded(project, request);
  noteResult(result);
  if (project.signal.aborted) await endOrphans(); // what held us may have held others before
  await tellOfGiveUp(project, request, result);
  const { trust } = project;
  const notices = [...(trust?.notices ?? []), ...noticesOf(project, result), ...result.notices];
  const isEnforced = project.settings.stopHook.whenActive === "enforce";
  return { ...result, notices, isEnforced, ...(trust === undefined ? {} : { trust }) };
}

/** A session whose project had gates and has none any more did not just begin outside of one. */
async function withRemoval(result: RunResult, request: RunRequest): Promise<RunResult> {
  const { record, env } = request;
  if (result.status !== "no_config" || record?.starts === undefined) return result;
  const { noticeOfRemoval } = await import("./trust/watch-gates.ts"); // hardly ever
  return { ...result, notices: noticeOfRemoval(request, env ?? currentEnv()) };
}

/** Only of a stop: who runs the gates by hand sees the result. */
async function tellOfGiveUp(project: Project, request: RunRequest, result: RunResult): Promise<void> {
  const { onGiveUp } = project.settings;
  const hasGivenUp = result.kind === "ran" && result.status === "retry_limit_exceeded";
  const isMeant = hasGivenUp && request.event !== undefined && request.logDir === undefined;
  if (onGiveUp === undefined || !isMeant) return;
  const { runOnGiveUp } = await import("./on-give-up.ts"); // few projects have one, and it is rare
  await runOnGiveUp(onGiveUp, { project, request, result });
}

/**
 * A run of the same session is waited for: a sub-agent's, for its agent. Another session's run, or a user's, where the project wants it.
 * The second hook of one stop answers at once.
 */
function isBusy(result: RunResult, { settings }: Project, { checkInterval }: RunRequest): boolean {
  const trouble = result.kind === "troubled" ? result.trouble : undefined;
  if (trouble?.kind !== "lock-held" || checkInterval !== true) return false;
  switch (trouble.heldBy) {
    case "same-stop":
      return false;
    case "same-session":
      return true;
    case "other":
      return settings.stopHook.whenBusy === "wait";
  }
}

/** What the user of a stop hook should know of this project, once per session. */
function noticesOf({ warnings }: Project, { changes, outcomes }: RunResult): readonly Notice[] {
  const hasRun = outcomes.length > 0; // gates that ran saw what is committed, too
  return [
    ...(changes?.blindTo === undefined || hasRun ? [] : [{ key: "blind", text: changes.blindTo }]),
    ...outcomes.flatMap(excuseNotices),
    ...warnings.map(diagnosticLine).map((text) => ({ key: text, text })),
  ];
}

async function runIfNeeded(project: Project, request: RunRequest): Promise<RunResult> {
  const histories = readHistories(project);
  const query = { ...project.query, known: knownGood(project, request, histories) };
  await using tree = await WorkTree.open({ ...project, query });
  const debugged = project.settings.debugLog.enabled ? await fitLogDir(project, tree) : undefined;
  if (debugged?.ok === false) return troubled(debugged.trouble);
  const unneeded = request.checkInterval
    ? await askGuards(project, request, { tree, ...histories })
    : undefined;
  trace("guards asked");
  if (unneeded !== undefined) await tidyUpIfDead(project);
  const result = unneeded ?? (await runAlone(project, request, tree));
  const { gateHash: gates, root } = project.settings;
  return {
    ...result,
    notices: [...compareWithKept(project, request, histories), ...result.notices],
    kept: result.kept ?? (request.event && keptState(root, histories.session)),
    judged: { gates, ...tree.head(), ...result.judged },
  };
}

/** Takes the lock, looks, plans, runs the gates and concludes. */
async function runAlone(opened: Project, request: RunRequest, tree: WorkTree): Promise<RunResult> {
  const { logDir } = opened;
  const fit = await fitLogDir(opened, tree);
  const prepared = fit.ok ? prepareLogDir(logDir) : fit;
  if (!prepared.ok) return troubled(prepared.trouble);
  const locked = await lockProject(opened, request);
  if (!locked.ok) return troubled(locked.trouble);
  using lock = locked.value;
  await using _snapshot = tree.snapshotScope(); // gone before the lock is: only a dead holder's scratch files are swept
  if (lock.replaced !== undefined) await tidyUpAfter(lock.replaced, logDir);

  const looked = await lookAround(opened, request, tree);
  trace("changes detected, snapshot taken");
  if (!looked.ok) return troubled(looked.trouble);
  const project = await withPackages(opened, looked.value.detected, tree);
  const planned = await planRun(project, request, looked.value);
  if (!planned.ok) return troubled(planned.trouble);
  if (planned.value.plan.gates.length === 0) return nothingToRun(project, request, planned.value);
  const result = await runPlan(project, request, { ...planned.value, tree, runId: lock.runId }); // the lock is released after it
  return lock.replaced?.pid === 0 ? { ...result, notices: [strangeLock(opened), ...result.notices] } : result;
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
  await using elsewhere = new Elsewhere();
  const onGroup = (pid: number): void => groups.record(pid);
  const on = { onEvent, onOutput, traceparentOf, onGroup, elsewhere };
  const before = await gateOptions(project, request, { planned: asked, on });
  await using fixing = await fixBefore(project, request, { planned: asked, options: before.options });
  const planned = fixing?.planned ?? asked;
  warn(...(planned.fixes ?? []));
  if (fixing?.isChanged) spans.forget();
  const { passes, options } = fixing?.isChanged
    ? await gateOptions(project, request, { planned, on })
    : before;

  void planned.snapshot.fingerprint(); // git names the tree while the gates run
  setImmediate(() => sweepScratch()); // meanwhile, too: a run killed before it had the lock leaves nothing else to be known by
  const settled = fixing?.settled;
  const { outcomes, notices } = await runWatched({ project, request, planned, ...options }, () =>
    runCompared({ project, request, planned, ...options }, { ...options, settled }),
  );
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

/** A committed baseline that is larger than need be hides what comes back, and an agent may have made it so. */
async function withBaselineHint(result: Ran, run: AskedRun): Promise<Ran> {
  const { root } = run.project.settings;
  if (kindOf(`${root}/.gauntlet/baseline.json`) !== "file") return result;
  const { sayGrown, sayUnneeded } = await import("./baseline/unneeded.ts"); // few projects have one
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
  const { fixFirst } = await import("./run/fix-first.ts"); // few checks have one
  const replan = (seen: Situation): Promise<Plan> => choosePlan(project, request, seen);
  return fixFirst({ planned, tree: planned.tree, options, replan }, project.signal);
}

type ContextEvents = Pick<GateContext, "onGroup" | "onOutput" | "traceparentOf"> &
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
    onOutput: on.onOutput,
    traceparentOf: on.traceparentOf,
  };
}
