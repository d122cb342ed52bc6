import { posix } from "node:path";
import { type ChangedFile, affectedPackages, type Package } from "../../core/plan/change-set.ts";
import { type OpenFailure, resumeSession, type SessionHistory } from "../../core/record/history.ts";
import { gateSelector, isAskable, type Plan, planGates, unseenChanges } from "../../core/plan/plan.ts";
import { diagnosticLine, fail, ok, type Result, type Trouble } from "../../core/trouble.ts";
import { isPartial, type RunRequest } from "../../core/run.ts";
import type { EntryPoint } from "../../core/settings.ts";
import { gateId } from "../../core/gate.ts";
import { isRed } from "../../core/outcome.ts";
import { projectPath } from "../../core/path.ts";
import { kindOf, readText } from "../../machine/files/files.ts";
import type { DetectedChanges } from "../../machine/git/changes.ts";
import type { Snapshot } from "../../machine/git/snapshot.ts";
import type { WorkTree } from "../../machine/git/work-tree.ts";
import { makeRoomForRun } from "../../machine/logs/log-dir.ts";
import { autoClean } from "../clean.ts";
import { trusted } from "../trust/kept-state.ts";
import { type Histories, type Project, readHistories } from "./project.ts";

/** Everything a run must know before it can plan. */
export interface Situation extends Omit<Histories, "isSessionLost"> {
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
  const histories = readHistories(project); // again: another run may have just ended
  const { workTree, session: stored, warnings } = trusted(project, request, histories);
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
  const { MANIFEST_NAMES, readWorkspace } = await import("../../config/read-workspace.ts"); // readers of manifests, which few projects ask for
  const { root } = project.settings;
  const paths = await tree.listNamed(MANIFEST_NAMES);
  const read = (path: string): string | undefined => {
    const text = readText(posix.join(root, path));
    return text.ok ? text.value : undefined;
  };
  const packages = readWorkspace({ paths, read });
  const entryPoints = project.settings.entryPoints.flatMap((one) =>
    one.isAuto ? expand(one, packages) : [one],
  );
  const settings = { ...project.settings, entryPoints };
  return { ...project, settings, because: affectedPackages(packages, changes.files) };
}

/** A package inside another one has its own gates. Without any package, every gate looks after everything. */
function expand({ gates }: EntryPoint, packages: readonly Package[]): readonly EntryPoint[] {
  if (packages.length === 0) return [{ path: ".", exclude: [], gates }];
  return packages.map(({ directory }) => ({
    path: directory,
    exclude: packages.map((one) => one.directory).filter((one) => one.startsWith(`${directory}/`)),
    gates,
  }));
}

/** The first gate to run or to leave out that no entry point has. What the user skipped before a stop may be gone by then. */
export function unknownGate(
  { settings }: Project,
  { gates: asked = [], skip = [], event }: RunRequest,
): Trouble | undefined {
  const gates = settings.entryPoints.flatMap((entryPoint) => entryPoint.gates);
  const named = event === undefined ? [...asked, ...skip] : asked;
  const name = named.find((one) => !isAskable(one, settings.entryPoints));
  const known = [...new Set(gates.map((gate) => gate.name))];
  return name === undefined ? undefined : { kind: "unknown-gate", name, known };
}

/** What changed decides, unless the user asked for everything (`all`) or for what is red (`failed`). */
export async function choosePlan(project: Project, request: RunRequest, situation: Situation): Promise<Plan> {
  if (request.failed) return planFailed(project, request, situation);
  return request.all ? planAll(project, request, situation) : planFor(project, request, situation);
}

/** The gates that failed in the last run of any session, and those this session has open. */
function planFailed(project: Project, request: RunRequest, situation: Situation): Plan {
  const { workTree, session } = situation;
  const last = workTree.lastRun;
  const red = (last?.outcomes ?? [])
    .filter((outcome) => isRed(outcome) || outcome.kind === "errored")
    .flatMap(({ gate: kind, scope, name }): OpenFailure[] =>
      kind === "guard" ? [] : [{ gate: { kind, scope, name }, runNumber: last?.number ?? 0 }],
    );
  const isAsked = request.gates?.length ? gateSelector(request.gates) : () => true;
  const openFailures = [...session.openFailures, ...red].filter(({ gate }) => isAsked(gate));
  if (openFailures.length === 0) return { gates: [], skipped: [] };
  const plan = planFor(
    project,
    { ...request, gates: [] },
    { ...situation, session: { ...session, openFailures } },
  );
  const isFailed = new Set(openFailures.map(({ gate }) => gateId(gate)));
  return { ...plan, gates: plan.gates.filter(({ id }) => isFailed.has(id)) };
}

/** Every file counts as changed for the checks; a review reads the change, and has nothing to read without one. */
async function planAll(project: Project, request: RunRequest, situation: Situation): Promise<Plan> {
  const { detected, snapshot } = situation;
  const contents = await snapshot.listFiles();
  const files: readonly ChangedFile[] =
    contents === undefined
      ? detected.changes.files
      : [...contents.keys()].map((path) => ({ path: projectPath(path), change: "modified" }));
  const changes = { ...detected.changes, files };
  const all = planFor(project, request, { ...situation, detected: { ...detected, changes } });
  const reviews = planFor(project, request, situation);
  return {
    gates: [
      ...all.gates.filter((one) => !isReview(one)).map((one) => ({ ...one, reason: "asked for with --all" })),
      ...reviews.gates.filter(isReview),
    ],
    skipped: [...all.skipped.filter((one) => !isReview(one)), ...reviews.skipped.filter(isReview)],
  };
}

function isReview({ id }: { readonly id: string }): boolean {
  return id.startsWith("review:");
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
