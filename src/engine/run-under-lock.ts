import { resumeSession, type SessionHistory, type WorkTreeHistory } from "../core/history.ts";
import { once } from "../core/once.ts";
import type { Plan } from "../core/plan.ts";
import { projectPath } from "../core/path.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { GateContext } from "../gates/gate-context.ts";
import type { DetectedChanges, detectChanges } from "../machine/detect-changes.ts";
import { GateGroups } from "../machine/gate-groups.ts";
import { readBlockedSession } from "../machine/blocked-session.ts";
import { readSession, readWorkTree } from "../machine/history-store.ts";
import { makeRoomForRun } from "../machine/log-dir.ts";
import { type Snapshot, treeIdOf } from "../machine/snapshot.ts";
import { trace } from "../machine/trace.ts";
import { autoClean } from "./auto-clean.ts";
import { concludeRun } from "./conclude-run.ts";
import type { BoundedRequest } from "./deadline.ts";
import { openGatePasses } from "./gate-passes.ts";
import type { Project } from "./project.ts";
import { planFor } from "./plan-for.ts";
import { runGates } from "./run-gates.ts";
import { startRunLog } from "./run-log.ts";
import type { RunRequest, RunResult } from "./run-request.ts";
import { troubleResult, withoutGates } from "./run-result.ts";
import { unknownGate } from "./unknown-gate.ts";

/** What git was asked as soon as the lock was taken. */
export interface Looks {
  readonly detecting: ReturnType<typeof detectChanges>;
  readonly taking: Promise<Snapshot>;
}

/** Runs the gates that the change calls for. */
export async function runUnderLock(
  project: Project,
  request: BoundedRequest,
  { runId, ...looks }: Looks & { readonly runId: string },
): Promise<RunResult> {
  const found = await lookAround(project, request, looks);
  await using _snapshot = await looks.taking;
  trace("changes detected, snapshot taken");
  if (!found.ok) return troubleResult(found.trouble);
  const { situation } = found;
  const unknown = unknownGate(project.settings, request.gates ?? []);
  if (unknown !== undefined) return troubleResult(unknown);

  const { changes } = situation.detected;
  const plan = planFor(project, request, { changes, session: situation.session });
  const stoodStill = once(situation.snapshot.isCurrent);
  if (plan.gates.length > 0)
    return await runPlan(project, request, { ...situation, plan, runId, stoodStill }); // the snapshot goes after
  for (const message of [...changes.notes, ...situation.warnings])
    request.onEvent?.({ kind: "warned", message });
  const isUnchanged = changes.files.length === 0 && situation.session.openFailures.length === 0;
  const { warnings } = situation;
  const nothing = withoutGates(isUnchanged ? "no_changes" : "no_applicable_gates", {
    detail: missingKind(project, request),
  });
  return { ...nothing, changes, plan, warnings };
}

/** Whoever asks for reviews alone in a project without any should not think that the changes were to blame. */
function missingKind({ settings }: Project, { kind }: RunRequest): string | undefined {
  if (kind === undefined) return undefined;
  const has = settings.entryPoints.some(({ gates }) => gates.some((gate) => gate.kind === kind));
  return has ? undefined : `this project has no ${kind}s`;
}

/** Everything a run must know before it can plan. */
interface Situation {
  readonly runNumber: number;
  readonly detected: DetectedChanges;
  /** The work tree before any gate ran. */
  readonly snapshot: Snapshot;
  readonly workTree: WorkTreeHistory;
  readonly session: SessionHistory;
  /** State that could not be trusted and counts as absent. */
  readonly warnings: readonly string[];
}

type Found =
  { ok: true; situation: Situation } | Extract<Awaited<ReturnType<typeof detectChanges>>, { ok: false }>;

async function lookAround(
  project: Project,
  request: RunRequest,
  { detecting, taking }: Looks,
): Promise<Found> {
  const { logDir, session: key } = project;
  const workTree = readWorkTree(logDir.stateDir);
  const stored = readSession(logDir.stateDir, key);
  const runNumber = makeRoomForRun(logDir, workTree.value.lastRun?.number); // while git looks
  const [detected, snapshot] = await Promise.all([detecting, taking]);
  if (!detected.ok) return detected;
  const fingerprint = stored.value.gaveUpOn === undefined ? undefined : await treeIdOf(snapshot);
  const { pass } = workTree.value;
  const resumed = resumeSession(stored.value, { promptId: request.event?.promptId, fingerprint, pass });
  const session = { ...resumed, attempts: request.budget?.spent ?? attemptsSpent(resumed, project, request) };
  const warnings = [workTree.warning, stored.warning].filter((one) => one !== undefined);
  await autoClean(project, workTree.value.lastRun, detected.value);
  return {
    ok: true,
    situation: { runNumber, detected: detected.value, snapshot, workTree: workTree.value, session, warnings },
  };
}

/** A planned run about to start. */
export interface PlannedRun extends Situation {
  readonly plan: Plan;
  readonly runId: string;
  /** Whether the work tree is, after the gates, what it was before them. */
  readonly stoodStill: () => Promise<boolean>;
}

async function runPlan(project: Project, request: BoundedRequest, planned: PlannedRun): Promise<RunResult> {
  const { settings, logDir } = project;
  const { runNumber } = planned;
  using log = startRunLog(project, runNumber);
  using groups = new GateGroups(logDir);
  const onEvent = (event: RunEvent): void => {
    log.record(event);
    request.onEvent?.(event);
  };
  const { changes } = planned.detected;
  for (const message of [...changes.notes, ...planned.warnings]) onEvent({ kind: "warned", message });
  onEvent({ kind: "run-planned", runNumber, changes, plan: planned.plan });
  const context: GateContext = {
    root: settings.root,
    logDir: settings.logDir,
    runNumber,
    runId: planned.runId,
    baseBranch: project.query.base ?? project.query.baseBranch,
    env: { ...project.env }, // each gate copies it, and copies of a plain object are quick
    review: {
      changes,
      rerunNewIssueThreshold: settings.rerunNewIssueThreshold,
      attempts: planned.session.attempts,
      onProgress: (gate, text) => onEvent({ kind: "gate-progressed", planned: gate, text }),
    },
    onGroup: (pid) => groups.record(pid),
  };
  const passes = await openGatePasses(project, planned);
  const reuse = request.noCache ? undefined : passes.reuse;
  const outcomes = await runGates(
    planned.plan,
    { maxParallel: settings.maxParallel, context, onEvent, ...(reuse === undefined ? {} : { reuse }) },
    request.signal,
  );
  trace("gates done");
  if (passes.hasNews(outcomes) && (await planned.stoodStill())) passes.remember(outcomes, runNumber);
  const result = await concludeRun({ project, request, planned, runNumber, outcomes });
  for (const message of result.warnings?.slice(planned.warnings.length) ?? [])
    onEvent({ kind: "warned", message });
  log.finish(result);
  trace("concluded");
  return { ...result, consoleLogPath: projectPath(`${settings.logDir}/${log.name}`) };
}

/** What the session has spent, by its own record or by the one outside the project, which outlives a removed log directory. */
function attemptsSpent(session: SessionHistory, { settings, env }: Project, { event }: RunRequest): number {
  const blocked = event === undefined ? undefined : readBlockedSession(event, env);
  const isSameLoop = blocked?.root === settings.root && blocked.promptId === session.promptId;
  return isSameLoop ? Math.max(session.attempts, blocked.attempts) : session.attempts;
}
