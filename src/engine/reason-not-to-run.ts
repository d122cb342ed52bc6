import { deferralOf } from "../core/deferral.ts";
import { coversGates, whyNotGated } from "../core/gated-event.ts";
import {
  isCoveredBy,
  isSameTree,
  minutesUntilDue,
  type PassRecord,
  resumeSession,
  type SessionHistory,
} from "../core/history.ts";
import { now } from "../machine/clock.ts";
import { fingerprintWorkTree } from "../machine/fingerprint.ts";
import { passIndexOf, readSession, readWorkTree, writeSession } from "../machine/history-store.ts";
import { prepareLogDir } from "../machine/log-dir.ts";
import { isUnchangedSince } from "../machine/look-at-tree.ts";
import type { Project } from "./project.ts";
import type { RunRequest, RunResult } from "./run-request.ts";
import { withoutGates } from "./run-result.ts";

/** Why a stop needs no run: switched off, not the end, the same tree as the last pass or surrender, or too soon. */
export async function reasonNotToRun(project: Project, request: RunRequest): Promise<RunResult | undefined> {
  const { settings, logDir } = project;
  if (!settings.stopHook.enabled) return withoutGates("stop_hook_disabled");
  const detail = request.event && whyNotGated(settings.stopHook, request.event);
  if (detail !== undefined) return withoutGates("stop_hook_disabled", { detail });
  const { value: workTree } = readWorkTree(logDir.stateDir);
  const { value: stored } = readSession(logDir.stateDir, project.session);
  const deferred = settings.stopHook.defer ? defer(project, request, stored) : undefined;
  if (deferred !== undefined) return deferred;

  const { pass } = workTree;
  const tree = await lookAtTree(project, { pass, gaveUpOn: stored.gaveUpOn });
  if (isCoveredBy(pass, { ...tree, gateHash: settings.gateHash })) return reusedPass(pass);

  const session = resumeSession(stored, {
    promptId: request.event?.promptId,
    fingerprint: tree.fingerprint,
    pass,
  });
  if (isSameTree(session.gaveUpOn, tree.fingerprint)) return withoutGates("retry_limit_exceeded");
  const { runIntervalMinutes } = settings.stopHook;
  const isTooSoon = minutesUntilDue(workTree.lastRun, runIntervalMinutes, now()) > 0;
  if (!isTooSoon || session.openFailures.length > 0) return undefined;
  return withoutGates("interval_not_elapsed", { intervalMinutes: runIntervalMinutes });
}

/** The tree as far as it was looked at. */
interface Tree {
  readonly isPassTree: boolean;
  readonly fingerprint: string | undefined;
  readonly baseCommit: string | undefined;
}

interface KnownTrees {
  readonly pass: PassRecord | undefined;
  readonly gaveUpOn: string | undefined;
}

/** Looks only as far as it takes to tell whether this tree is one we know. */
async function lookAtTree(project: Project, known: KnownTrees): Promise<Tree> {
  const { query, logDir, settings } = project;
  const { pass, gaveUpOn } = known;
  const mayBePass = pass !== undefined && coversGates(pass.gateHash, settings.gateHash);
  const [isPassTree, compared, tree] = await Promise.all([
    mayBePass && isUnchangedSince(query.root, passIndexOf(logDir.stateDir, pass.tree)),
    mayBePass ? project.compareHead() : undefined,
    gaveUpOn === undefined ? undefined : fingerprintWorkTree(query.root),
  ]);
  const fingerprint = tree?.kind === "tree" ? tree.hash : undefined;
  return { isPassTree, fingerprint, baseCommit: compared?.ok ? compared.value.base.mergeBase : undefined };
}

/** A deferral that cannot be remembered could be repeated for ever, so then the gates run. */
function defer(project: Project, { event }: RunRequest, stored: SessionHistory): RunResult | undefined {
  const deferral = deferralOf(event, stored);
  if (deferral === undefined) return undefined;
  if (deferral.session !== stored) {
    const { logDir, session } = project;
    const prepared = prepareLogDir(logDir);
    const written = prepared.ok ? writeSession(logDir.stateDir, session, deferral.session) : prepared;
    if (!written.ok) return undefined;
  }
  return withoutGates("deferred", { detail: deferral.reason });
}

function reusedPass(pass: PassRecord): RunResult {
  const detail = `nothing changed since run ${pass.runNumber} passed at ${new Date(pass.at).toISOString()}`;
  return withoutGates(pass.status, { detail });
}
