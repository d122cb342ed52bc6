import { isCoveredBy, isSameTree, minutesUntilDue, type PassRecord, resumeSession } from "../core/history.ts";
import { now } from "../machine/clock.ts";
import { findBaseCommit } from "../machine/detect-changes.ts";
import { fingerprintWorkTree } from "../machine/fingerprint.ts";
import { readSession, readWorkTree } from "../machine/history-store.ts";
import type { Project } from "./project.ts";
import type { RunRequest, RunResult } from "./run-request.ts";
import { withoutGates } from "./run-result.ts";

/** Why a stop needs no run: switched off, the same tree as the last pass or the last surrender, or too soon. */
export async function reasonNotToRun(project: Project, request: RunRequest): Promise<RunResult | undefined> {
  const { settings, logDir, query } = project;
  if (!settings.stopHook.enabled) return withoutGates("stop_hook_disabled");

  const [{ value: workTree }, { value: stored }] = await Promise.all([
    readWorkTree(logDir.stateDir),
    readSession(logDir.stateDir, project.session),
  ]);
  const { pass } = workTree;
  const isTreeKnown = pass !== undefined || stored.gaveUpOn !== undefined;
  const [tree, baseCommit] = isTreeKnown
    ? await Promise.all([fingerprintWorkTree(query.root), findBaseCommit(query)])
    : [];
  const fingerprint = tree?.kind === "tree" ? tree.hash : undefined;
  if (isCoveredBy(pass, { fingerprint, gateHash: settings.gateHash, baseCommit })) return reusedPass(pass);

  const session = resumeSession(stored, { promptId: request.event?.promptId, fingerprint, pass });
  if (isSameTree(session.gaveUpOn, fingerprint)) return withoutGates("retry_limit_exceeded");
  const { runIntervalMinutes } = settings.stopHook;
  const isTooSoon = minutesUntilDue(workTree.lastRun, runIntervalMinutes, now()) > 0;
  if (isTooSoon && session.openFailures.length === 0) {
    return withoutGates("interval_not_elapsed", { intervalMinutes: runIntervalMinutes });
  }
  return undefined;
}

function reusedPass(pass: PassRecord): RunResult {
  const detail = `nothing changed since run ${pass.runNumber} passed at ${new Date(pass.at).toISOString()}`;
  return withoutGates(pass.status, { detail });
}
