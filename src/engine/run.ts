import { definedOnly } from "../core/defined-only.ts";
import { diagnosticLine } from "../core/trouble.ts";
import { once } from "../core/once.ts";
import { excuseNotices } from "../core/outcome.ts";
import type { PassRecord, SessionHistory } from "../core/record/history.ts";
import { overlookNotices, startIn } from "../core/record/session-record.ts";
import { type Judged, notNeeded, type RunRequest, type RunResult, troubled } from "../core/run.ts";
import { coversGates } from "../core/settings.ts";
import { EARLY_EXITS } from "../core/stop/early-exits.ts";
import type { Notice } from "../core/stop/verdict.ts";
import { now } from "../machine/clock.ts";
import { isAsStamped } from "../machine/files/file-stamp.ts";
import { kindOf } from "../machine/files/files.ts";
import { WorkTree } from "../machine/git/work-tree.ts";
import { prepareLogDir } from "../machine/logs/log-dir.ts";
import { currentEnv, trace } from "../machine/process/environment.ts";
import { keptState, writeSession, passIndexOf } from "../machine/state/history.ts";
import { type Histories, knownGood, openProject, type Project, readHistories } from "./run/project.ts";
import { announceState, trusted, type TrustedHistories } from "./trust/kept-state.ts";

/** Runs a project's gates. Never exits the process, never writes to stdout, never throws for expected trouble. */
export async function executeRun(request: RunRequest): Promise<RunResult> {
  const opened = await openProject(request);
  trace("settings read");
  if (!opened.ok) return withRemoval(troubled(opened.trouble), request);
  const project = opened.value;
  for (const warning of project.warnings)
    request.onEvent?.({ kind: "warned", message: diagnosticLine(warning) });

  const noteResult = await logRequest(project, request);
  let result = await runIfNeeded(project, request);
  while (isBusy(result, project, request) && (await lockReleased(project)))
    result = await runIfNeeded(project, request);
  noteResult(result);
  if (project.signal.aborted) await endOrphans();
  await tellOfGiveUp(project, request, result);
  const { trust } = project;
  const overlooked = await noticesOfOverlooking(project, request);
  const notices = [
    ...(trust?.notices ?? []),
    ...overlooked,
    ...noticesOf(project, result),
    ...result.notices,
  ];
  const isEnforced = project.settings.stopHook.whenActive === "enforce";
  return { ...result, notices, isEnforced, ...(trust === undefined ? {} : { trust }) };
}

async function logRequest(project: Project, request: RunRequest): Promise<(result: RunResult) => void> {
  if (!project.settings.debugLog.enabled) return () => {};
  const { logRequest: log } = await import("./run/run-log.ts"); // few projects keep a debug log
  return log(project, request);
}

async function lockReleased({ logDir, signal }: Project): Promise<boolean> {
  const { lockReleased: released } = await import("../machine/state/lock.ts"); // most stops find no other run
  return released(logDir.lockFile, signal);
}

/** What held us may have held others before. */
async function endOrphans(): Promise<void> {
  const { endOrphans: end } = await import("../machine/process/leftovers.ts"); // most stops are not held
  await end();
}

/** A session whose project had gates and has none any more did not just begin outside of one. */
async function withRemoval(result: RunResult, request: RunRequest): Promise<RunResult> {
  const { record, env } = request;
  if (result.status !== "no_config" || record?.starts === undefined) return result;
  const { noticeOfRemoval } = await import("./trust/watch-gates.ts"); // gates are rarely removed
  return { ...result, notices: noticeOfRemoval(request, env ?? currentEnv()) };
}

/** Only for a stop: a user who runs the gates by hand sees the result. */
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

/** What git was told to overlook since the session began. */
async function noticesOfOverlooking(
  { settings }: Project,
  { record }: RunRequest,
): Promise<readonly Notice[]> {
  const files = startIn(record, settings.root)?.overlooking ?? [];
  if (files.every(isAsStamped)) return [];
  const { changedOverlooking } = await import("../machine/git/overlooked.ts"); // most sessions leave them alone
  return overlookNotices(changedOverlooking(files));
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
  const histories = trusted(project, request, readHistories(project));
  const query = { ...project.query, known: knownGood(project, request, histories) };
  await using tree = await WorkTree.open({ ...project, query });
  if (project.settings.debugLog.enabled) {
    const { fitLogDir } = await import("./run/fit-log-dir.ts"); // few projects keep a debug log
    const fit = await fitLogDir(project, tree);
    if (!fit.ok) return troubled(fit.trouble);
  }
  const unneeded = request.checkInterval
    ? await findEarlyExit(project, request, { tree, ...histories })
    : undefined;
  trace("early exits asked");
  if (unneeded !== undefined) await tidyUpIfDead(project, histories.session);
  const result = unneeded ?? (await runGates(project, request, tree));
  const { gateHash: gates } = project.settings;
  const isKept = request.event !== undefined && !histories.isDoubtful;
  return {
    ...result,
    notices: [...histories.notices, ...result.notices],
    kept: result.kept ?? (isKept ? keptState(project.settings, histories.session) : undefined),
    judged: { gates, ...tree.head(), ...result.judged },
  };
}

/** A killed run leaves its lock. An early exit may be killed, too, where it takes a snapshot: after giving up. */
async function tidyUpIfDead(project: Project, { gaveUpOn }: SessionHistory): Promise<void> {
  if (kindOf(project.logDir.lockFile) === "missing" && gaveUpOn === undefined) return;
  const { tidyUpIfDead: tidyUp } = await import("./clean.ts"); // few runs are killed
  await tidyUp(project);
}

async function runGates(project: Project, request: RunRequest, tree: WorkTree): Promise<RunResult> {
  const { runAlone } = await import("./run/run-alone.ts"); // most stops need no run
  return runAlone(project, request, tree);
}

/** Why a stop needs no run: the first early exit that applies. */
async function findEarlyExit(
  project: Project,
  request: RunRequest,
  { tree, ...histories }: TrustedHistories & { readonly tree: WorkTree },
): Promise<RunResult | undefined> {
  const { event, record } = request;
  const { stopHook, gateHash } = project.settings;
  const { workTree, session } = histories.isDoubtful ? asDue(histories, event) : histories;
  const look = once(() => lookAtTree(project, tree, { workTree, session, record }));
  const facts = { event, stopHook, gateHash, workTree, session, now: now(), inWords: isoTime, tree: look };
  for (const { when } of EARLY_EXITS) {
    const ended = await when?.(facts);
    if (ended === undefined) continue;
    const kept = ended.session && announceState(project, request, ended.session);
    const isLost = ended.session !== undefined && !isRemembered(project, ended.session);
    if (isLost && ended.pass === undefined) continue; // it could be repeated endlessly
    const unneeded = { ...notNeeded(ended.status, ended.facts), kept };
    return ended.pass === undefined ? unneeded : { ...unneeded, judged: judgedByPass(ended.pass) };
  }
  return undefined;
}

/** Where it is not known what failed in the session, and whether it was put off before: it is not put off again. */
function asDue(
  { workTree: { pass }, session }: Histories,
  event: RunRequest["event"],
): Pick<Histories, "workTree" | "session"> {
  return { workTree: definedOnly({ pass }), session: { ...session, deferredFor: event?.promptId ?? "" } };
}

/** The recorded tree of the pass is this one: asking git for it again would cost a process. */
function judgedByPass({ gateHash: gates, fingerprint: tree, baseCommit: base, since }: PassRecord): Judged {
  return { gates, ...definedOnly({ tree, base }), whole: true, reused: true, excused: since !== undefined };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function isRemembered({ logDir, session: key }: Project, session: SessionHistory): boolean {
  return prepareLogDir(logDir).ok && writeSession(logDir.stateDir, key, session).ok;
}

/** Looks only as far as it takes to tell whether this tree is one we know. */
async function lookAtTree(
  project: Project,
  tree: WorkTree,
  { workTree, session, record }: Pick<Histories, "workTree" | "session"> & Pick<RunRequest, "record">,
) {
  const { settings, passDir } = project;
  const { pass } = workTree;
  const isCovered = pass !== undefined && coversGates(pass.gateHash, settings.gateHash);
  const mayBePass = isCovered && !tree.mayHoldGit(); // under the lock, the next run ends what holds a killed one
  const [isPassTree, baseCommit, fingerprint] = await Promise.all([
    mayBePass && tree.isUnchangedSince(passIndexOf(passDir, pass.tree)),
    mayBePass ? tree.baseCommit() : undefined,
    session.gaveUpOn === undefined ? undefined : tree.fingerprint(),
  ]);
  const reference = startIn(record, settings.root)?.tree ?? baseCommit ?? tree.head().commit;
  return { isPassTree, fingerprint, baseCommit, reference };
}
