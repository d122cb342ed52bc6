import { join } from "node:path";
import type { WorkTree } from "../system/git/work-tree.ts";
import { prepareLogDir } from "../system/logs/log-dir.ts";
import { acquireLock, type Asker, type Lock } from "../system/state/lock.ts";
import { sessionKey } from "../system/state/state-keys.ts";
import type { Result } from "../trouble.ts";
import { checkLogDir } from "./check-log-dir.ts";
import type { Project } from "./open.ts";
import type { RunRequest } from "./request.ts";
import { tidyUpAfter } from "./tidy-up.ts";

/** Makes sure that nothing else runs gates in this work tree, and ends what a killed run left. */
export async function takeLock(project: Project, request: RunRequest, tree: WorkTree): Promise<Result<Lock>> {
  const { logDir } = project;
  const fit = await checkLogDir(project, tree);
  const prepared = fit.ok ? prepareLogDir(logDir) : fit;
  if (!prepared.ok) return prepared;
  const locked = await acquire(project, request);
  if (!locked.ok || locked.value.replaced === undefined) return locked;
  await tidyUpAfter(locked.value.replaced, logDir);
  if (locked.value.replaced.pid === 0) noteStrangeLock(project);
  return locked;
}

/** A run that has just taken the lock records that a moment later. */
async function acquire(project: Project, request: RunRequest): Promise<Result<Lock>> {
  const { logDir, stateDir } = project;
  const copy = join(stateDir, "lock");
  const asker = askerOf(project, request);
  const locked = acquireLock(logDir.lockFile, asker, copy);
  if (locked.ok || locked.trouble.kind !== "lock-held" || !locked.trouble.isUnrecorded) return locked;
  await new Promise((resolve) => setTimeout(resolve, RECORDED_WITHIN_MS));
  return acquireLock(logDir.lockFile, asker, copy);
}

function askerOf({ sessionKey: session, settings }: Project, { event, ahead }: RunRequest): Asker {
  const { parentId: sessionId, promptId: prompt } = event ?? {};
  const partOf = sessionId === undefined ? undefined : sessionKey({ sessionId }, settings.root);
  return { session, partOf, prompt, isAhead: ahead === undefined ? undefined : true };
}

const RECORDED_WITHIN_MS = 100;

function noteStrangeLock({ settings, notices }: Project): void {
  const text = `Gauntlet: the lock in ${settings.logDir} was not one that agent-gauntlet writes; it was replaced.`;
  notices.add({ rank: "tampering", key: "strange lock", text });
}
