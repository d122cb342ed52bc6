import { join } from "node:path";
import { type RunRequest, type RunResult, troubled } from "../../core/run.ts";
import type { Notice } from "../../core/stop/verdict.ts";
import type { Result } from "../../core/trouble.ts";
import type { WorkTree } from "../../machine/git/work-tree.ts";
import { type LogDir, prepareLogDir } from "../../machine/logs/log-dir.ts";
import { acquireLock, type Asker, type Lock, type LockHolder } from "../../machine/state/lock.ts";
import { sessionKey } from "../../machine/state/state-keys.ts";
import { fitLogDir } from "./fit-log-dir.ts";
import type { Project } from "./project.ts";

/** Takes the lock and has git look; the rest of the run is loaded meanwhile. */
export async function runAlone(project: Project, request: RunRequest, tree: WorkTree): Promise<RunResult> {
  const { logDir } = project;
  const fit = await fitLogDir(project, tree);
  const prepared = fit.ok ? prepareLogDir(logDir) : fit;
  if (!prepared.ok) return troubled(prepared.trouble);
  const locked = await lockProject(project, request);
  if (!locked.ok) return troubled(locked.trouble);
  using lock = locked.value;
  await using _snapshot = tree.snapshotScope(); // gone before the lock is: only a dead holder's scratch files are swept
  if (lock.replaced !== undefined) await tidyUpAfter(lock.replaced, logDir);

  await tree.startLooking();
  const { runLocked } = await import("./run-locked.ts"); // most of a run's code, loaded while git looks
  const result = await runLocked(project, request, { tree, runId: lock.runId }); // the lock is released after it
  return lock.replaced?.pid === 0
    ? { ...result, notices: [strangeLock(project), ...result.notices] }
    : result;
}

/** A run that has just taken the lock records that a moment later. */
async function lockProject(project: Project, request: RunRequest): Promise<Result<Lock>> {
  const { logDir, passDir } = project;
  const copy = join(passDir, "lock");
  const asker = askerOf(project, request);
  const locked = acquireLock(logDir.lockFile, asker, copy);
  if (locked.ok || locked.trouble.kind !== "lock-held" || !locked.trouble.isUnrecorded) return locked;
  await new Promise((resolve) => setTimeout(resolve, RECORDED_WITHIN_MS));
  return acquireLock(logDir.lockFile, asker, copy);
}

function askerOf({ session, settings }: Project, { event }: RunRequest): Asker {
  const { parentId: sessionId, promptId: prompt } = event ?? {};
  const partOf = sessionId === undefined ? undefined : sessionKey({ sessionId }, settings.root);
  return { session, partOf, prompt };
}

const RECORDED_WITHIN_MS = 100;

async function tidyUpAfter(dead: LockHolder, logDir: LogDir): Promise<void> {
  const { tidyUpAfter: tidyUp } = await import("../clean.ts"); // few runs are killed
  await tidyUp(dead, logDir);
}

function strangeLock({ settings }: Project): Notice {
  const text = `Gauntlet: the lock in ${settings.logDir} was not one that agent-gauntlet writes; it was replaced.`;
  return { key: "strange lock", text, isFirst: true };
}
