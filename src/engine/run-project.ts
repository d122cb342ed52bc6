import { detectChanges } from "../machine/detect-changes.ts";
import { acquireLock } from "../machine/lock.ts";
import { prepareLogDir } from "../machine/log-dir.ts";
import { takeSnapshot } from "../machine/snapshot.ts";
import type { BoundedRequest } from "./deadline.ts";
import type { Project } from "./project.ts";
import type { RunResult } from "./run-request.ts";
import { troubleResult } from "./run-result.ts";
import type { Looks } from "./run-under-lock.ts";

/** Runs the gates that the change calls for, alone in this project. */
export async function runProject(project: Project, request: BoundedRequest): Promise<RunResult> {
  const { logDir, session } = project;
  const prepared = prepareLogDir(logDir);
  if (!prepared.ok) return troubleResult(prepared.trouble);
  const locked = acquireLock(logDir.lockFile, session);
  if (!locked.ok) return troubleResult(locked.trouble);
  using lock = locked.value;
  if (lock.replaced !== undefined) {
    const { tidyUpAfter } = await import("./tidy-up-after.ts");
    await tidyUpAfter(lock.replaced, logDir);
  }
  const looks = startLooking(project);
  const { runUnderLock } = await import("./run-under-lock.ts"); // loaded while git looks
  return await runUnderLock(project, request, { ...looks, runId: lock.runId }); // the lock is released when this returns
}

function startLooking({ query, compareHead }: Project): Looks {
  const detecting = detectChanges(query, compareHead);
  return { detecting, taking: takeSnapshot(query.root, { untracked: detecting.then(untrackedIn) }) };
}

/** Only a look at the work tree finds its untracked files, not one at a commit. */
function untrackedIn(detected: Awaited<Looks["detecting"]>): readonly string[] | undefined {
  if (!detected.ok || detected.value.changes.commit !== undefined) return undefined;
  return detected.value.changes.files.filter(({ change }) => change === "untracked").map(({ path }) => path);
}
