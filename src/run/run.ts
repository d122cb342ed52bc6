import { type Session, startIn, unblocked, withGatesSince, withStart } from "../stop/session.ts";
import { isGreen } from "../stop/status.ts";
import { now } from "../system/clock.ts";
import { WorkTree } from "../system/git/work-tree.ts";
import { environmentHash } from "../system/process/environment-hash.ts";
import { currentEnv, trace } from "../system/process/environment.ts";
import { absolutePath } from "../path.ts";
import { diagnosticLine, type Trouble } from "../trouble.ts";
import { findEarlyExit } from "./find-early-exit.ts";
import { fallbacksOf, openProject, type Past, type Project, readPast } from "./open.ts";
import type { RunRequest } from "./request.ts";
import { type RunResult, troubled } from "./result.ts";
import { noticesOfRun } from "./run-notices.ts";
import { stages } from "./stages.ts";

/** Runs a project's gates. Never exits the process, never writes to stdout, never throws for expected trouble. */
export async function run(request: RunRequest): Promise<RunResult> {
  const { starts } = request.session?.value ?? {};
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
    if (!(await hasMadeWay(result, project, request))) break;
    project.session.reload();
    result = await runProject(project, request);
  }

  noteResult?.(result);
  if (project.signal.aborted) await (await stages.rare()).endOrphans(); // whatever hung this run may have hung earlier ones
  if (isGivenUp(project, request, result)) await (await stages.rare()).runOnGiveUp(project, request, result);
  project.notices.add(...(await noticesOfRun(project, request, result)));
  if (request.event !== undefined) {
    forgetBlock(project, result);
    rememberBeginning(project, result, starts);
  }
  return { ...result, trust: project.trust };
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
  const { planned: watched, tell } = active;
  const guarding = { project: expanded, request, planned: watched, context: gates.options.context, tell };
  const judgeChange = guards?.watchChange(guarding, stages.byRunning);
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

/** A run ahead makes way for whoever asks; every other run is waited for. */
async function hasMadeWay(result: RunResult, project: Project, request: RunRequest): Promise<boolean> {
  if (isRunAhead(result)) return (await stages.ahead()).makeWay(project, request);
  const { lockReleased } = await stages.rare();
  return lockReleased(project.logDir.lockFile, project.signal);
}

function isRunAhead(result: RunResult): boolean {
  const trouble = result.kind === "troubled" ? result.trouble : undefined;
  return trouble?.kind === "lock-held" && trouble.heldBy === "run-ahead";
}

/** For a stop only: a user who runs the gates sees the result. */
function isGivenUp({ settings }: Project, { event, logDir, ahead }: RunRequest, result: RunResult): boolean {
  if (ahead !== undefined) return false;
  const isOver = result.kind === "ran" && result.status === "retry_limit_exceeded";
  return settings.onGiveUp !== undefined && isOver && event !== undefined && logDir === undefined;
}

/**
 * A stop waits for another run of its own session, as an agent does for a sub-agent, and for a run of somebody else if the project wants it.
 * The second hook of one stop answers at once.
 */
function waitsForOtherRun(result: RunResult, { settings }: Project, { isStop, ahead }: RunRequest): boolean {
  if (ahead !== undefined) return false;
  if (isRunAhead(result)) return true;
  const trouble = result.kind === "troubled" ? result.trouble : undefined;
  if (trouble?.kind !== "lock-held" || isStop !== true) return false;
  switch (trouble.heldBy) {
    case "same-stop":
      return false;
    case "run-ahead":
    case "same-session":
      return true;
    case "other":
      return settings.stopHook.whenBusy === "wait";
  }
}

/** A block is remembered until the gates pass or we give up; an error in between does not end it. */
function forgetBlock({ session, settings }: Project, { status }: RunResult): void {
  // After giving up it is not for us to send the agent back again.
  const isEnforced = isGreen(status) && settings.stopHook.whenActive === "enforce";
  if (isGreen(status) || status === "retry_limit_exceeded") session.change(unblocked(isEnforced));
}

/** Where the session began in this project, if this stop is its first sight of it, and which gates its stops are compared with. */
function rememberBeginning(
  { session, settings, trust, env }: Project,
  { changes, ignoreFiles }: RunResult,
  found: Session["starts"],
): void {
  const { root } = settings;
  const isNew = startIn(session.value, root) === undefined;
  const seen = { at: now(), environment: isNew ? environmentHash(env) : undefined, ignoreFiles };
  if (changes?.head !== undefined) session.change(withStart({ root, head: changes.head, ...seen }));
  if (trust === undefined) return;
  session.change(withStart({ root: trust.gates.root, ...seen }));
  session.change(withGatesSince(trust.gates, found));
}
