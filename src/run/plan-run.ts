import { ownFileFinder } from "./own-files.ts";
import { posix } from "node:path";
import type { ChangedFile } from "../system/git/change-set.ts";
import { affectedPackages, MANIFEST_NAMES, type Package, readWorkspace } from "../config/read-workspace.ts";
import { type OpenFailure, resume, type RetryState } from "../stop/retry-state.ts";
import { isPartial, type RunRequest } from "./request.ts";
import { gateSelector, matchesSomeGate, type Plan, planGates, unseenChanges } from "./plan.ts";
import { diagnosticLine, fail, ok, type Result, type Trouble } from "../trouble.ts";

import type { EntryPoint } from "../config/settings.ts";
import { gateId } from "../gates/gate.ts";
import { isRed } from "../gates/outcome.ts";
import { projectPath } from "../path.ts";
import { kindOf, readText } from "../system/files/files.ts";
import type { DetectedChanges } from "../system/git/changes.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import type { WorkTree } from "../system/git/work-tree.ts";
import { makeRoomForRun } from "../system/logs/log-dir.ts";
import { autoClean } from "./clean.ts";
import { retriesIn } from "../stop/session.ts";
import { loadSettingsAgain } from "../config/gauntlet/settings-cache.ts";
import { sweepScratch } from "../system/files/owned-scratch.ts";
import { type Past, type Project, readPast } from "./open.ts";
import { notNeeded, type NotNeeded } from "./result.ts";
import { stages } from "./stages.ts";

/** Everything a run must know before it can plan. */
export interface Situation extends Omit<Past, "lastNumber"> {
  readonly runNumber: number;
  /** What the session has spent and has left to fix here. */
  readonly retries: RetryState;
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

/** What changed, and what the session has to do with it. */
export async function detectChanges(
  project: Project,
  request: RunRequest,
  tree: WorkTree,
): Promise<Result<Situation>> {
  const { logDir, session, settings } = project;
  sweepWhileGitWorks(project, request);
  const { workTree, lastNumber, warnings } = readPast(project); // again: another run may have just ended
  session.reload();
  const stored = retriesIn(session.value, settings.root);
  const [detected, snapshot, runNumber] = await Promise.all([
    tree.changes(),
    tree.snapshot(),
    afterTick(() => makeRoomForRun(logDir, lastNumber)), // while git works
  ]);
  if (!detected.ok) return detected;
  const fingerprint = stored.gaveUpOn === undefined ? undefined : await tree.state();
  const resumed = resume(stored, {
    promptId: request.event?.promptId,
    fingerprint,
    pass: workTree.pass,
  });
  const retries = { ...resumed, attempts: request.budget?.spent ?? resumed.attempts };
  await autoClean(project, tree, { lastRun: workTree.lastRun, here: detected.value });
  const misspelt = await misspeltBase(project, request, detected.value);
  return ok({
    runNumber,
    detected: detected.value,
    snapshot,
    workTree,
    retries,
    warnings: [...warnings, ...damageOfManualRuns(project, request), ...misspelt],
  });
}

/** Removes what killed runs left, and loads what this run will need. */
function sweepWhileGitWorks({ settings }: Project, request: RunRequest): void {
  setImmediate(() => {
    // A run killed before it had the lock leaves nothing else to be known by; of stops, the next session's start sweeps.
    if (!request.isStop) sweepScratch();
    if (settings.remote?.workers !== undefined) stages.remote().catch(() => {}); // whoever needs it asks again
  });
}

/** A stop names the damage of its session itself. */
function damageOfManualRuns({ session }: Project, { event }: RunRequest): readonly string[] {
  return event === undefined && session.damage !== undefined ? [session.damage] : [];
}

function afterTick<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Only for a user who runs the gates, and where there was no base to compare with, or another one stood in. */
async function misspeltBase(
  { settings, query, env, ci }: Project,
  { event, isStop }: RunRequest,
  { changes }: DetectedChanges,
): Promise<readonly string[]> {
  const { base, commit, staged, uncommitted } = query;
  const isAsked = base === undefined && commit === undefined && !staged && !uncommitted;
  const isFound = changes.baseCommit !== undefined && changes.notes.length === 0;
  if (event !== undefined || isStop || ci || !isAsked || isFound) return [];
  const loaded = await loadSettingsAgain(settings.root, env); // the place in the file is not in the cache
  const { diagnoseBase } = await stages.rare();
  return loaded.ok ? (await diagnoseBase(loaded.value)).map(diagnosticLine) : [];
}

/** Which gates run, and which changes none of them looks at. */
export async function planRun(
  project: Project,
  request: RunRequest,
  situation: Situation,
  run: { readonly tree: WorkTree; readonly runId: string },
): Promise<Result<PlannedRun>> {
  const unknown = unknownGate(project, request);
  if (unknown !== undefined) return fail(unknown);
  const plan = await choosePlan(project, request, situation);
  const { entryPoints } = project.settings;
  const unseen = isPartial(request) ? [] : unseenChanges(entryPoints, situation.detected.changes, plan); // only a run of everything should see all
  return ok({ ...situation, ...run, plan, warnings: [...situation.warnings, ...unseen] });
}

/** What a run comes to that has no gate to run. */
export function nothingToRun(
  { settings }: Project,
  { kind, failed, onEvent }: RunRequest,
  { detected, retries, warnings, plan }: PlannedRun,
): NotNeeded {
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

/** The project with the packages of its workspace in place of `entry_points: auto`. */
export async function withPackages<P extends Pick<Project, "settings" | "because">>(
  project: P,
  { changes }: Pick<DetectedChanges, "changes">,
  tree: Pick<WorkTree, "listNamed">,
): Promise<P> {
  if (!project.settings.entryPoints.some(({ isAuto }) => isAuto)) return project;
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
  const isOwn = changes.head === undefined ? () => false : ownFileFinder(project.settings);
  const files = changes.files.filter(({ path }) => !isOwn(path));
  return { ...project, settings, because: affectedPackages(packages, files) };
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
  const name = named.find((one) => !matchesSomeGate(one, settings.entryPoints));
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
  const { workTree, retries } = situation;
  const last = workTree.lastRun;
  const red = (last?.outcomes ?? [])
    .filter((outcome) => isRed(outcome) || outcome.kind === "errored")
    .flatMap(({ gate: kind, scope, name }): OpenFailure[] =>
      kind === "guard" ? [] : [{ gate: { kind, scope, name }, runNumber: last?.number ?? 0 }],
    );
  const isAsked = request.gates?.length ? gateSelector(request.gates) : () => true;
  const openFailures = [...retries.openFailures, ...red].filter(({ gate }) => isAsked(gate));
  if (openFailures.length === 0) return { gates: [], skipped: [] };
  const plan = planFor(
    project,
    { ...request, gates: [] },
    { ...situation, retries: { ...retries, openFailures } },
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
  { detected, retries }: Pick<Situation, "detected" | "retries">,
): Plan {
  return planGates(settings, detected.changes, {
    ci,
    only: request.gates ?? [],
    without: request.skip ?? [],
    because,
    kinds: request.kind === undefined ? ["check", "review"] : [request.kind],
    openFailures: retries.openFailures,
    kindOf: (path) => kindOf(`${settings.root}/${path}`),
    // In a repository without a commit everything is new, and what is checked first is checked whole.
    isOwn: detected.changes.head === undefined ? undefined : ownFileFinder(settings),
  });
}
