import type { RunRecord } from "../core/history.ts";
import { isAncestor } from "../machine/comparison-base.ts";
import { openDebugLog } from "../machine/debug-log.ts";
import type { DetectedChanges } from "../machine/detect-changes.ts";
import { archiveLogs, forgetState } from "../machine/log-dir.ts";
import { debugClean } from "../report/debug-lines.ts";
import type { Project } from "./project.ts";

/**
 * Puts the logs of finished work away: the branch is another one, or what was checked last has become part of the base.
 * Other sessions' budgets go with it; this session's stay, or switching branches would be a way around a failing gate.
 * What cannot be put away stays and is in nobody's way.
 */
export async function autoClean(
  project: Project,
  lastRun: RunRecord | undefined,
  here: DetectedChanges,
): Promise<void> {
  const why = lastRun === undefined ? undefined : await whyFinished(project, lastRun, here);
  if (why === undefined) return;
  const archived = archiveLogs(project.logDir);
  forgetState(project.logDir, project.session);
  const debug = openDebugLog(project.logDir.path, project.settings.debugLog);
  debug(debugClean(why, archived.ok ? archived.value : 0));
}

async function whyFinished(
  project: Project,
  lastRun: RunRecord,
  here: DetectedChanges,
): Promise<"other-branch" | "merged" | undefined> {
  if (isOtherBranch(lastRun.branch, here.branch)) return "other-branch";
  if (lastRun.merged || lastRun.head === undefined || lastRun.head === here.head) return undefined;
  const isMerged = await isAncestor(project.query.root, lastRun.head, project.query.baseBranch);
  return isMerged ? "merged" : undefined;
}

/** Without a branch, as during a rebase or for `--commit`, nothing says that the work is another one. */
function isOtherBranch(before: string | undefined, here: string | undefined): boolean {
  return before !== undefined && here !== undefined && before !== here;
}
