import type { RunRecord } from "../core/history.ts";
import type { DetectedChanges } from "../machine/detect-changes.ts";
import { isAncestor } from "../machine/comparison-base.ts";
import { archiveLogs, forgetState } from "../machine/log-dir.ts";
import type { Project } from "./project.ts";

/**
 * Puts the logs of finished work away: the branch is another one, or what was checked last has become part of the base.
 * Other sessions' budgets go with it; this session's stay, or switching branches would be a way around a failing gate.
 */
export async function autoClean(
  project: Project,
  lastRun: RunRecord | undefined,
  here: DetectedChanges,
): Promise<void> {
  if (lastRun === undefined || !(await isFinished(project, lastRun, here))) return;
  await archiveLogs(project.logDir);
  await forgetState(project.logDir, project.session);
}

async function isFinished(project: Project, lastRun: RunRecord, here: DetectedChanges): Promise<boolean> {
  if (lastRun.branch !== here.branch) return true;
  if (lastRun.merged || lastRun.head === undefined || lastRun.head === here.head) return false;
  return isAncestor(project.query.root, lastRun.head, project.query.baseBranch);
}
