import { deferralOf } from "../core/deferral.ts";
import {
  isCoveredBy,
  isSameTree,
  minutesUntilDue,
  type PassRecord,
  resumeSession,
  type SessionHistory,
} from "../core/history.ts";
import { now } from "../machine/clock.ts";
import { type ChangeQuery, findBaseCommit } from "../machine/comparison-base.ts";
import { fingerprintWorkTree } from "../machine/fingerprint.ts";
import { readSession, readWorkTree, writeSession } from "../machine/history-store.ts";
import { prepareLogDir } from "../machine/log-dir.ts";
import type { Project } from "./project.ts";
import type { RunRequest, RunResult } from "./run-request.ts";
import { withoutGates } from "./run-result.ts";

/** Why a stop needs no run: switched off, not the end, the same tree as the last pass or surrender, or too soon. */
export async function reasonNotToRun(project: Project, request: RunRequest): Promise<RunResult | undefined> {
  const { settings, logDir, query } = project;
  if (!settings.stopHook.enabled) return withoutGates("stop_hook_disabled");
  const [{ value: workTree }, { value: stored }] = await Promise.all([
    readWorkTree(logDir.stateDir),
    readSession(logDir.stateDir, project.session),
  ]);
  const deferred = settings.stopHook.defer ? await defer(project, request, stored) : undefined;
  if (deferred !== undefined) return deferred;

  const { pass } = workTree;
  const isTreeKnown = pass !== undefined || stored.gaveUpOn !== undefined;
  const tree = isTreeKnown ? await lookAtTree(query) : NO_TREE;
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

interface Tree {
  readonly fingerprint: string | undefined;
  readonly baseCommit: string | undefined;
}

const NO_TREE: Tree = { fingerprint: undefined, baseCommit: undefined };

async function lookAtTree(query: ChangeQuery): Promise<Tree> {
  const [tree, baseCommit] = await Promise.all([fingerprintWorkTree(query.root), findBaseCommit(query)]);
  return { fingerprint: tree.kind === "tree" ? tree.hash : undefined, baseCommit };
}

/** A deferral that cannot be remembered could be repeated for ever, so then the gates run. */
async function defer(
  project: Project,
  { event }: RunRequest,
  stored: SessionHistory,
): Promise<RunResult | undefined> {
  const deferral = deferralOf(event, stored);
  if (deferral === undefined) return undefined;
  if (deferral.session !== stored) {
    const { logDir, session } = project;
    const prepared = await prepareLogDir(logDir);
    const written = prepared.ok ? await writeSession(logDir.stateDir, session, deferral.session) : prepared;
    if (!written.ok) return undefined;
  }
  return withoutGates("deferred", { detail: deferral.reason });
}

function reusedPass(pass: PassRecord): RunResult {
  const detail = `nothing changed since run ${pass.runNumber} passed at ${new Date(pass.at).toISOString()}`;
  return withoutGates(pass.status, { detail });
}
