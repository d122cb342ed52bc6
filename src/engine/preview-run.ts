import type { ChangeSet } from "../core/change-set.ts";
import type { Plan } from "../core/plan.ts";
import { ok, type Result } from "../core/trouble.ts";
import { detectChanges } from "../machine/detect-changes.ts";
import { readSession } from "../machine/history-store.ts";
import { withSnapshot } from "../machine/snapshot.ts";
import { openGatePasses } from "./gate-passes.ts";
import { openProject, type Project } from "./project.ts";
import { planFor } from "./plan-for.ts";
import type { RunRequest } from "./run-request.ts";

/** What a run would look at and do, without a lock and without running a gate. */
export async function previewRun(request: RunRequest): Promise<Result<{ changes: ChangeSet; plan: Plan }>> {
  const project = await openProject(request);
  if (!project.ok) return project;
  const detected = await detectChanges(project.value.query, project.value.compareHead);
  if (!detected.ok) return detected;
  const { changes } = detected.value;
  const { value: session } = readSession(project.value.logDir.stateDir, project.value.session);
  const plan = planFor(project.value, request, { changes, session });
  return ok({ changes, plan: await withPassesTold(project.value, plan) });
}

/** Gates that passed before with the same inputs would not run; the others that name their inputs say why they would. */
async function withPassesTold(project: Project, plan: Plan): Promise<Plan> {
  const hasInputs = plan.gates.some(({ gate }) => gate.kind === "check" && gate.inputs !== undefined);
  if (!hasInputs) return plan;
  return withSnapshot(project.query.root, async (snapshot) => {
    const passes = await openGatePasses(project, { plan, snapshot });
    const isReused = (planned: Plan["gates"][number]): boolean => passes.reuse(planned) !== undefined;
    const told = plan.gates.map((planned) => ({
      ...planned,
      reason: [planned.reason, passes.explain(planned)].filter(Boolean).join("; "),
    }));
    const reused = told.filter(isReused).map(({ id, reason }) => ({ id, reason }));
    return { gates: told.filter((planned) => !isReused(planned)), skipped: [...plan.skipped, ...reused] };
  });
}
