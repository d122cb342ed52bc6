import { join } from "node:path";
import type { RunRecord } from "../core/record/history.ts";
import type { Settings } from "../core/settings.ts";
import { fail, type Result } from "../core/trouble.ts";
import { now } from "../machine/clock.ts";
import { kindOf } from "../machine/files/files.ts";
import { isAncestor } from "../machine/git/compare/base.ts";
import type { DetectedChanges } from "../machine/git/changes.ts";
import { sweepScratch } from "../machine/files/owned-scratch.ts";
import type { WorkTree } from "../machine/git/work-tree.ts";
import { openDebugLog } from "../machine/logs/line-log.ts";
import {
  archiveLogs,
  forgetState,
  type LogDir,
  logDirOf,
  prepareLogDir,
  sweepDrafts,
} from "../machine/logs/log-dir.ts";
import type { Environment } from "../machine/process/environment.ts";
import { endLeftovers, endOrphans } from "../machine/process/leftovers.ts";
import { acquireLock, type LockHolder } from "../machine/state/lock.ts";
import { forgetPass } from "../machine/state/history.ts";
import { projectStateDir } from "../machine/state/state-keys.ts";
import { forgetKeptIn, startOver } from "../machine/state/change-sessions.ts";
import { debugClean } from "../report/plain-lines.ts";
import { diagnoseLogDir } from "./run/fit-log-dir.ts";
import type { Project } from "./run/project.ts";

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
  const locked = acquireLock(dir.lockFile, undefined, join(projectStateDir(settings.root, env), "lock"));
  if (!locked.ok) return locked;
  using lock = locked.value;
  if (lock.replaced !== undefined) await tidyUpAfter(lock.replaced, dir);
  const archived = archiveLogs(dir);
  if (!archived.ok) return archived;
  const forgotten = forgetState(dir);
  forgetPass(projectStateDir(settings.root, env));
  startOver(settings.root, env, isUser ? undefined : now());
  openDebugLog(dir.path, settings.debugLog)(debugClean("asked", archived.value));
  return forgotten.ok ? archived : forgotten;
}

/** Ends and removes what a killed run left behind. Only the holder of the lock may. */
export async function tidyUpAfter(dead: LockHolder, dir: LogDir): Promise<void> {
  await endLeftovers(dir, dead);
  await endOrphans();
  sweepDrafts(dir);
  sweepScratch();
}

/** The same for a stop that needs no run. One that was killed without the lock leaves scratch files at most. */
export async function tidyUpIfDead({ logDir, session }: Project): Promise<void> {
  if (kindOf(logDir.lockFile) === "missing") return sweepScratch();
  const locked = acquireLock(logDir.lockFile, { session });
  if (!locked.ok) return;
  using lock = locked.value;
  if (lock.replaced !== undefined) await tidyUpAfter(lock.replaced, logDir);
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
  forgetState(project.logDir, project.session);
  forgetKeptIn(project.settings.root, project.env);
  const debug = openDebugLog(project.logDir.path, project.settings.debugLog);
  debug(debugClean(why, archived.ok ? archived.value : 0));
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
