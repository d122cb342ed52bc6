import type { ChangeSet } from "../core/change-set.ts";
import type { Plan } from "../core/plan.ts";
import { ok, type Result } from "../core/trouble.ts";
import { detectChanges } from "../machine/detect-changes.ts";
import { readSession } from "../machine/history-store.ts";
import { openProject } from "./project.ts";
import { planFor } from "./plan-for.ts";
import type { RunRequest } from "./run-request.ts";

/** What a run would look at and do, without a lock and without running a gate. */
export async function previewRun(request: RunRequest): Promise<Result<{ changes: ChangeSet; plan: Plan }>> {
  const project = await openProject(request);
  if (!project.ok) return project;
  const detected = await detectChanges(project.value.query);
  if (!detected.ok) return detected;
  const { changes } = detected.value;
  const { value: session } = await readSession(project.value.logDir.stateDir, project.value.session);
  return ok({ changes, plan: planFor(project.value, request, { changes, session }) });
}
