import { basename, dirname } from "node:path/posix";
import { once } from "../once.ts";
import { EARLY_EXITS } from "../stop/early-exits.ts";
import type { Notice } from "../stop/notices.ts";
import type { PassRecord } from "../stop/passes.ts";
import { retriesIn, startIn, unblocked, withRetries } from "../stop/session.ts";
import { isGreen } from "../stop/status.ts";
import { passIndexOf } from "../stop/work-tree-store.ts";
import { now } from "../system/clock.ts";
import { isAsStamped } from "../system/files/file-stamp.ts";
import { kindOf } from "../system/files/files.ts";
import { Git } from "../system/git/git.ts";
import { gitVariablesHash } from "../system/git/ignore-settings.ts";
import { isOfTools } from "../system/git/own-ignores.ts";
import { WorkTree } from "../system/git/work-tree.ts";
import { environmentHash } from "../system/process/environment-hash.ts";
import { currentEnv, trace } from "../system/process/environment.ts";
import { absolutePath } from "../path.ts";
import { diagnosticLine, type Trouble } from "../trouble.ts";
import { fallbacksOf, openProject, type Past, type Project, readPast } from "./open.ts";
import type { RunRequest } from "./request.ts";
import { type Judged, notNeeded, type RunResult, troubled } from "./result.ts";
import { stages } from "./stages.ts";

/** Runs a project's gates. Never exits the process, never writes to stdout, never throws for expected trouble. */
export async function run(request: RunRequest): Promise<RunResult> {
  const opened = await openProject(request);
  trace("settings read");
  if (!opened.ok) return notOpened(request, opened.trouble);
  const project = opened.value;
  for (const warning of project.warnings)
    request.onEvent?.({ kind: "warned", message: diagnosticLine(warning) });
  const isDebugged = project.settings.debugLog.enabled;
  const noteResult = isDebugged ? (await stages.rare()).logRequest(project, request) : undefined;

  let result = await runProject(project, request);
  while (waitsForOtherRun(result, project, request)) {
    const { lockReleased } = await stages.rare();
    if (!(await lockReleased(project.logDir.lockFile, project.signal))) break;
    project.session.reload();
    result = await runProject(project, request);
  }

  noteResult?.(result);
  if (project.signal.aborted) await (await stages.rare()).endOrphans(); // whatever hung this run may have hung earlier ones
  if (isGivenUp(project, request, result)) await (await stages.rare()).runOnGiveUp(project, request, result);
  if (request.event !== undefined) forgetBlock(project, result);
  project.notices.add(...(await ignoreNoticesOf(project)), ...projectNotices(project, result));
  project.notices.add(...(await hidingNoticesOf(project, request, result)));
  project.notices.add(...(await stashNoticesOf(project, request, result)));
  return { ...result, trust: project.trust, environment: environmentAtFirstSight(project, request) };
}

/** One run, from the question whether there is anything to do to the judgement of its gates. */
async function runProject(project: Project, request: RunRequest): Promise<RunResult> {
  const past = readPast(project);
  await using tree = await openWorkTree(project, past);
  const answered = (result: RunResult): RunResult => withHead(result, project, tree);

  // Is there anything to do?
  const early = request.isStop ? await findEarlyExit(project, request, { tree, past }) : undefined;
  trace("early exits asked");
  if (early !== undefined) return answered(early);

  // Alone.
  const { takeLock } = await stages.lock();
  const locked = await takeLock(project, request, tree);
  if (!locked.ok) return answered(troubled(locked.trouble));
  using lock = locked.value;
  await using _snapshot = tree.snapshotScope(); // gone before the lock is: only a dead holder's scratch files are swept

  // Look. The larger half of a run is loaded while git works.
  await tree.startLooking();
  const ended = async (result: RunResult): Promise<RunResult> =>
    answered({ ...result, ignoreFiles: await tree.ignoreFiles() });
  const stage = await stages.run();
  const detected = await stage.detectChanges(project, request, tree);
  trace("changes detected, snapshot taken");
  if (!detected.ok) return await ended(troubled(detected.trouble));

  // Plan.
  const expanded = await stage.withPackages(project, detected.value.detected, tree);
  const planned = await stage.planRun(expanded, request, detected.value, { tree, runId: lock.runId });
  if (!planned.ok) return await ended(troubled(planned.trouble));
  if (planned.value.plan.gates.length === 0)
    return await ended(stage.nothingToRun(expanded, request, planned.value));

  // Fix, then run the gates while the guards look at the change.
  await using active = new stage.ActiveRun(expanded, request, planned.value);
  const gates = await stage.prepareGates(active);
  const guards = stage.guardsIn(expanded, request) > 0 ? await stages.guards() : undefined;
  const judgeChange = guards?.watchChange(expanded, request, active.planned);
  const ran = await stage.runGates(active.planned.plan, gates.options, project.signal);
  const guarded = (await judgeChange?.(ran)) ?? { outcomes: ran, notices: [] };
  for (const outcome of guarded.outcomes.slice(ran.length)) active.tell({ kind: "gate-finished", outcome });
  trace("gates done");

  return await ended(await stage.conclude(active, gates, guarded));
}

/** With what was good before, for a base that hides what was committed. */
function openWorkTree(project: Project, past: Past): Promise<WorkTree> {
  const query = { ...project.query, known: fallbacksOf(project, past) };
  return WorkTree.open({ ...project, query });
}

function withHead(result: RunResult, { settings }: Project, tree: WorkTree): RunResult {
  const { judged } = result;
  const { branch, commit } = tree.head();
  const head = { branch: judged?.branch ?? branch, commit: judged?.commit ?? commit };
  return { ...result, judged: { gates: settings.gateHash, ...judged, ...head } };
}

/** A session whose project had gates and has none any more did not just begin outside of one. */
async function notOpened({ cwd, session, notices, env }: RunRequest, trouble: Trouble): Promise<RunResult> {
  const result = troubled(trouble);
  if (result.status !== "no_config" || session?.value.starts === undefined) return result;
  const { removedConfigNotices } = await stages.trust();
  notices?.add(...removedConfigNotices(session.value, absolutePath(cwd), env ?? currentEnv()));
  return result;
}

/** For a stop only: a user who runs the gates sees the result. */
function isGivenUp({ settings }: Project, { event, logDir }: RunRequest, result: RunResult): boolean {
  const isOver = result.kind === "ran" && result.status === "retry_limit_exceeded";
  return settings.onGiveUp !== undefined && isOver && event !== undefined && logDir === undefined;
}

/**
 * A stop waits for another run of its own session, as an agent does for a sub-agent, and for a run of somebody else if the project wants it.
 * The second hook of one stop answers at once.
 */
function waitsForOtherRun(result: RunResult, { settings }: Project, { isStop }: RunRequest): boolean {
  const trouble = result.kind === "troubled" ? result.trouble : undefined;
  if (trouble?.kind !== "lock-held" || isStop !== true) return false;
  switch (trouble.heldBy) {
    case "same-stop":
      return false;
    case "same-session":
      return true;
    case "other":
      return settings.stopHook.whenBusy === "wait";
  }
}

/** What git was told to ignore since the session began; most sessions leave that alone. */
async function ignoreNoticesOf({ settings, session, env }: Project): Promise<readonly Notice[]> {
  const { ignoreSettings: files = [], gitVariables } = startIn(session.value, settings.root) ?? {};
  const isSame = gitVariables === undefined || gitVariables === gitVariablesHash(env);
  return isSame && files.every(isAsStamped)
    ? []
    : (await stages.rare()).ignoreSettingsNotices(files, isSame ? undefined : env);
}

/** What `.gitignore` files hide that were added or changed since the session began. */
async function hidingNoticesOf(
  project: Project,
  { event }: RunRequest,
  { changes, ignoreFiles = [] }: RunResult,
): Promise<readonly Notice[]> {
  const start = startIn(project.session.value, project.settings.root);
  const changed = (changes?.files ?? []).filter(({ path }) => basename(path) === ".gitignore");
  const known = start?.ignoreFiles ?? ignoreFiles;
  const ownLogs = `${project.settings.logDir}/.gitignore`;
  const added = ignoreFiles.filter(
    (name) => !known.includes(name) && !isOfTools(dirname(name)) && !name.endsWith(ownLogs),
  );
  if (event === undefined || (changed.length === 0 && added.length === 0)) return [];
  const before = start?.head ?? changes?.baseCommit;
  return (await stages.rare()).hidingNotices(project, {
    changed: changed.map(({ path }) => path),
    added,
    before,
  });
}

/** Of a stop that follows a block: what passes now may be a tree without the work. */
async function stashNoticesOf(
  { settings, session, signal }: Project,
  { event }: RunRequest,
  { status }: RunResult,
): Promise<readonly Notice[]> {
  const { lastStop } = session.value;
  const followsBlock = event !== undefined && lastStop?.verdict.decision === "block";
  if (!followsBlock || !isGreen(status)) return [];
  return (await stages.rare()).stashNotices(new Git(settings.root, signal), lastStop.at);
}

/** What the user should know of this project, once per session. */
function projectNotices({ warnings }: Project, { changes, outcomes }: RunResult): readonly Notice[] {
  const hidden = outcomes.length > 0 ? undefined : changes?.uncheckedCommits; // gates that ran saw what is committed, too
  const blind: readonly Notice[] =
    hidden === undefined ? [] : [{ rank: "not checked", key: "blind", text: hidden }];
  const config = warnings
    .map(diagnosticLine)
    .map((text): Notice => ({ rank: "configuration", key: text, text }));
  return [...blind, ...config];
}

/** A block is remembered until the gates pass or we give up; an error in between does not end it. */
function forgetBlock({ session, settings }: Project, { status }: RunResult): void {
  // After giving up it is not for us to send the agent back again.
  const isEnforced = isGreen(status) && settings.stopHook.whenActive === "enforce";
  if (isGreen(status) || status === "retry_limit_exceeded") session.change(unblocked(isEnforced));
}

/** Remembered as the one in which the session began. */
function environmentAtFirstSight(
  { session, settings, env }: Project,
  { event }: RunRequest,
): string | undefined {
  const isNew = event !== undefined && startIn(session.value, settings.root) === undefined;
  return isNew ? environmentHash(env) : undefined;
}

/** A killed run leaves its lock. An early exit may be killed, too, if it takes a snapshot: after giving up. */
function mayBeDead({ session, settings, logDir }: Project): boolean {
  const { gaveUpOn } = retriesIn(session.value, settings.root);
  return kindOf(logDir.lockFile) !== "missing" || gaveUpOn !== undefined;
}

/** A work tree, and what is known of it. */
interface Known {
  readonly tree: WorkTree;
  readonly past: Past;
}

/** Why a stop needs no run: the first early exit that applies. */
async function findEarlyExit(
  project: Project,
  { event }: RunRequest,
  { tree, past }: Known,
): Promise<RunResult | undefined> {
  const { session, settings } = project;
  const fit = settings.debugLog.enabled ? await (await stages.rare()).checkLogDir(project, tree) : undefined;
  if (fit?.ok === false) return troubled(fit.trouble);
  const { workTree } = past;
  const retries = retriesIn(session.value, settings.root);
  const facts = {
    event,
    stopHook: settings.stopHook,
    workTree,
    retries,
    isDamaged: session.damage !== undefined,
    now: now(),
    inWords: isoTime,
    tree: once(() => scanTree(project, { tree, past })),
  };
  for (const { when } of EARLY_EXITS) {
    const ended = await when(facts);
    if (ended === undefined) continue;
    const isLost = ended.retries !== undefined && !rememberRetries(project, ended.retries);
    if (isLost && ended.pass === undefined) continue; // it could be repeated endlessly
    if (mayBeDead(project)) await (await stages.rare()).tidyUpIfDead(project);
    const judged = ended.pass && judgedByPass(ended.pass);
    return { ...notNeeded(ended.status, ended.facts), judged, ignoreFiles: ended.pass?.ignoreFiles };
  }
  return undefined;
}

function rememberRetries({ session, settings }: Project, retries: ReturnType<typeof retriesIn>): boolean {
  session.change(withRetries(settings.root, retries));
  return session.save().ok;
}

/** The recorded tree of the pass is this one: asking git for it again would cost a process. */
function judgedByPass({ key, fingerprint: tree, sizes, baseCommit: base, since }: PassRecord): Judged {
  const { gates, environment } = key;
  return { gates, environment, tree, sizes, base, whole: true, reused: true, excused: since !== undefined };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Scans only as far as it takes to tell whether this tree is one we know. */
async function scanTree({ settings, session, stateDir }: Project, { tree, past }: Known) {
  const { pass } = past.workTree;
  const { gaveUpOn } = retriesIn(session.value, settings.root);
  const kept = pass && passIndexOf(stateDir, pass);
  const mayBePass = kept !== undefined && !tree.mayHoldGit(); // under the lock, the next run ends what holds a killed one
  const [isPassTree, baseCommit, fingerprint] = await Promise.all([
    mayBePass && tree.isUnchangedSince(kept),
    mayBePass ? tree.baseCommit() : undefined,
    gaveUpOn === undefined ? undefined : tree.state(),
  ]);
  const reference = startIn(session.value, settings.root)?.tree ?? baseCommit ?? tree.head().commit;
  return { isPassTree, fingerprint, baseCommit, reference };
}
