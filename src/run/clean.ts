import type { Settings } from "../config/settings.ts";
import type { Environment } from "../system/process/environment.ts";
import { type Result, fail } from "../trouble.ts";
import { type LogDir, logDirOf, prepareLogDir, archiveLogs, forgetState } from "../system/logs/log-dir.ts";
import { diagnoseLogDir } from "./check-log-dir.ts";
import { acquireLock, type Lock, lockReleased } from "../system/state/lock.ts";
import { join } from "node:path";
import { projectStateDir } from "../system/state/state-keys.ts";
import { stages } from "./stages.ts";
import { tidyUpAfter } from "./tidy-up.ts";
import { forgetWorkTree } from "../stop/work-tree-store.ts";
import type { RunRecord } from "../stop/passes.ts";
import { startOver, withoutRetries } from "../stop/session.ts";
import { updateSessions } from "../stop/session-store.ts";
import { now } from "../system/clock.ts";
import { openDebugLog } from "../system/logs/line-log.ts";
import { debugClean } from "../report/plain-lines.ts";
import type { Project } from "./open.ts";
import type { WorkTree } from "../system/git/work-tree.ts";

import type { DetectedChanges } from "../system/git/changes.ts";
import { isAncestor } from "../system/git/compare/base.ts";

/** Archives the logs and forgets all state; not while a run is in progress. Where the user did not ask, the next stop says so. */
export async function cleanProject(
  settings: Settings,
  env: Environment,
  isUser: boolean,
): Promise<Result<number>> {
  const dir = logDirOf(settings.root, settings.logDir);
  const diagnostics = await diagnoseLogDir(settings, env);
  if (diagnostics.length > 0) return fail({ kind: "config-invalid", diagnostics });
  const prepared = prepareLogDir(dir);
  if (!prepared.ok) return prepared;
  const stateDir = projectStateDir(settings.root, env);
  const locked = await takeLockToClean(dir, stateDir);
  if (!locked.ok) return locked;
  using lock = locked.value;
  if (lock.replaced !== undefined) await tidyUpAfter(lock.replaced, dir);
  const archived = archiveLogs(dir);
  if (!archived.ok) return archived;
  const forgotten = forgetState(dir);
  forgetWorkTree(stateDir);
  updateSessions(env, startOver(settings.root, isUser ? undefined : now()));
  openDebugLog(dir.path, settings.debugLog)(debugClean("asked", archived.value));
  return forgotten.ok ? archived : forgotten;
}

async function takeLockToClean(dir: LogDir, stateDir: string): Promise<Result<Lock>> {
  const locked = acquireLock(dir.lockFile, undefined, join(stateDir, "lock"));
  if (locked.ok || locked.trouble.kind !== "lock-held" || locked.trouble.heldBy !== "run-ahead")
    return locked;
  (await stages.ahead()).endAhead(stateDir);
  await lockReleased(dir.lockFile, new AbortController().signal);
  return takeLockToClean(dir, stateDir);
}

/**
 * Puts the logs of finished work away: the branch is another one, or what was checked last has become part of the base.
 * Other sessions' budgets go with it; this session's stay, or switching branches would be a way around a failing gate.
 */
export async function autoClean(
  project: Project,
  tree: WorkTree,
  { lastRun, here }: { readonly lastRun: RunRecord | undefined; readonly here: DetectedChanges },
): Promise<void> {
  const why = lastRun === undefined ? undefined : await whyFinished(lastRun, here, { project, tree });
  if (why === undefined) return;
  const archived = archiveLogs(project.logDir);
  forgetState(project.logDir, project.session.id);
  forgetRetriesOfOthers(project);
  const debug = openDebugLog(project.logDir.path, project.settings.debugLog);
  debug(debugClean(why, archived.ok ? archived.value : 0));
}

/** This session's are kept: switching branches would be a way around a failing gate. */
function forgetRetriesOfOthers({ settings: { root }, session, env }: Project): void {
  updateSessions(env, (one, id) => {
    const isOther = id !== session.id && one.retries?.[root] !== undefined;
    return isOther ? withoutRetries(one, root) : undefined;
  });
}

async function whyFinished(
  lastRun: RunRecord,
  here: DetectedChanges,
  { project, tree }: { readonly project: Project; readonly tree: WorkTree },
): Promise<"other-branch" | "merged" | undefined> {
  if (isOtherBranch(lastRun.branch, here.branch)) return "other-branch";
  if (lastRun.merged || lastRun.head === undefined || lastRun.head === here.head) return undefined;
  const isMerged = await isAncestor(tree.git, lastRun.head, project.query.baseBranch);
  return isMerged ? "merged" : undefined;
}

/** Without a branch, as during a rebase or for `--commit`, nothing says that the work is another one. */
function isOtherBranch(before: string | undefined, here: string | undefined): boolean {
  return before !== undefined && here !== undefined && before !== here;
}
