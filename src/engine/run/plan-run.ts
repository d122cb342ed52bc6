import { resumeSession, type SessionHistory } from "../../core/record/history.ts";
import { isAskable, type Plan, planGates, unseenChanges } from "../../core/plan/plan.ts";
import { diagnosticLine, fail, ok, type Result, type Trouble } from "../../core/trouble.ts";
import { isPartial, type RunRequest } from "../../core/run.ts";
import { kindOf } from "../../machine/files/files.ts";
import type { DetectedChanges } from "../../machine/git/changes.ts";
import type { Snapshot } from "../../machine/git/snapshot.ts";
import type { WorkTree } from "../../machine/git/work-tree.ts";
import { makeRoomForRun } from "../../machine/logs/log-dir.ts";
import { autoClean } from "../clean.ts";
import { type Histories, type Project, readHistories } from "./project.ts";

/** Everything a run must know before it can plan. */
export interface Situation extends Histories {
  readonly runNumber: number;
  readonly detected: DetectedChanges;
  /** The work tree before any gate ran. */
  readonly snapshot: Snapshot;
}

/** A planned run about to start. */
export interface PlannedRun extends Situation {
  readonly plan: Plan;
  readonly runId: string;
  readonly tree: WorkTree;
  /** What fixes did before the gates ran, in words. */
  readonly fixes?: readonly string[];
}

export async function lookAround(
  project: Project,
  request: RunRequest,
  tree: WorkTree,
): Promise<Result<Situation>> {
  const { logDir } = project;
  const { workTree, session: stored, warnings } = readHistories(project); // again: another run may have just ended
  const lastKnown = Math.max(workTree.lastRun?.number ?? 0, workTree.pass?.runNumber ?? 0); // a pass closes earlier failures
  const [detected, snapshot, runNumber] = await Promise.all([
    tree.changes(),
    tree.snapshot(),
    new Promise<number>((made) => void setImmediate(() => made(makeRoomForRun(logDir, lastKnown)))), // while git looks
  ]);
  if (!detected.ok) return detected;
  const fingerprint = stored.gaveUpOn === undefined ? undefined : await tree.fingerprint();
  const { pass } = workTree;
  const resumed = resumeSession(stored, { promptId: request.event?.promptId, fingerprint, pass });
  const session = { ...resumed, attempts: request.budget?.spent ?? attemptsSpent(resumed, project, request) };
  await autoClean(project, tree, { lastRun: workTree.lastRun, here: detected.value });
  const told = [...warnings, ...(await misspeltBase(project, request, detected.value))];
  return ok({ runNumber, detected: detected.value, snapshot, workTree, session, warnings: told });
}

/** Only for a user who runs the gates, and where there was no base to compare with, or another one stood in. */
async function misspeltBase(
  { settings, query, env, ci }: Project,
  { event, checkInterval }: RunRequest,
  { changes }: DetectedChanges,
): Promise<readonly string[]> {
  const { base, commit, staged, uncommitted } = query;
  const isAsked = base === undefined && commit === undefined && !staged && !uncommitted;
  const isFound = changes.baseCommit !== undefined && changes.notes.length === 0;
  if (event !== undefined || checkInterval || ci || !isAsked || isFound) return [];
  const { loadSettings } = await import("../../config/gauntlet/load.ts"); // the place in the file is not in the cache
  const loaded = await loadSettings(settings.root, env);
  const { diagnoseBase } = await import("./diagnose-base.ts"); // as seldom
  return loaded.ok ? (await diagnoseBase(loaded.value)).map(diagnosticLine) : [];
}

/** What the session has spent, by its own record or by the one outside the project, which outlives a removed log directory. */
function attemptsSpent(session: SessionHistory, { settings }: Project, { record }: RunRequest): number {
  const blocked = record?.blocked;
  const isSameLoop = blocked?.root === settings.root && blocked.promptId === session.promptId;
  return isSameLoop ? Math.max(session.attempts, blocked.attempts) : session.attempts;
}

/** Which gates run, and which changes none of them looks at. */
export async function planRun(
  project: Project,
  request: RunRequest,
  situation: Situation,
): Promise<Result<Situation & { readonly plan: Plan }>> {
  const unknown = unknownGate(project, request);
  if (unknown !== undefined) return fail(unknown);
  const plan = await choosePlan(project, request, situation);
  const { entryPoints } = project.settings;
  const unseen = isPartial(request) ? [] : unseenChanges(entryPoints, situation.detected.changes, plan); // only a run of everything should see all
  return ok({ ...situation, plan, warnings: [...situation.warnings, ...unseen] });
}

/** The project with the packages of its workspace in place of `entry_points: auto`. */
export async function withPackages(
  project: Project,
  { changes }: DetectedChanges,
  tree: WorkTree,
): Promise<Project> {
  if (!project.settings.entryPoints.some(({ isAuto }) => isAuto)) return project;
  const { expandPackages } = await import("./packages.ts"); // readers of manifests, which few projects ask for
  return expandPackages(project, changes, tree);
}

/** The first gate to run or to leave out that no entry point has. */
export function unknownGate(
  { settings }: Project,
  { gates: asked = [], skip = [] }: RunRequest,
): Trouble | undefined {
  const gates = settings.entryPoints.flatMap((entryPoint) => entryPoint.gates);
  const name = [...asked, ...skip].find((one) => !isAskable(one, settings.entryPoints));
  const known = [...new Set(gates.map((gate) => gate.name))];
  return name === undefined ? undefined : { kind: "unknown-gate", name, known };
}

export async function choosePlan(project: Project, request: RunRequest, situation: Situation): Promise<Plan> {
  if (!request.all && !request.failed) return planFor(project, request, situation);
  const { planChosen } = await import("./plan-chosen.ts"); // no stop asks for these
  return planChosen(project, request, situation);
}

/** The plan for a request, given what changed and what the session has open. */
export function planFor(
  { settings, ci, because }: Project,
  request: RunRequest,
  { detected, session }: Pick<Situation, "detected" | "session">,
): Plan {
  return planGates(settings, detected.changes, {
    ci,
    only: request.gates ?? [],
    without: request.skip ?? [],
    because,
    kinds: request.kind === undefined ? ["check", "review"] : [request.kind],
    openFailures: session.openFailures,
    kindOf: (path) => kindOf(`${settings.root}/${path}`),
  });
}
