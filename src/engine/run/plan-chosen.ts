import type { ChangedFile } from "../../core/plan/change-set.ts";
import { gateSelector, type Plan } from "../../core/plan/plan.ts";
import { gateId } from "../../core/gate.ts";
import type { OpenFailure } from "../../core/record/history.ts";
import { isRed } from "../../core/outcome.ts";
import { projectPath } from "../../core/path.ts";
import type { RunRequest } from "../../core/run.ts";
import type { Project } from "./project.ts";
import { planFor, type Situation } from "./plan-run.ts";

/** The plan of a user who does not go by what changed: everything (`all`), or what is red (`failed`). */
export async function planChosen(project: Project, request: RunRequest, situation: Situation): Promise<Plan> {
  return request.failed ? planFailed(project, request, situation) : planAll(project, request, situation);
}

/** The gates that failed in the last run of any session, and those this session has open. */
function planFailed(project: Project, request: RunRequest, situation: Situation): Plan {
  const { workTree, session } = situation;
  const last = workTree.lastRun;
  const red = (last?.outcomes ?? [])
    .filter((outcome) => isRed(outcome) || outcome.kind === "errored")
    .flatMap(({ gate: kind, scope, name }): OpenFailure[] =>
      kind === "guard" ? [] : [{ gate: { kind, scope, name }, runNumber: last?.number ?? 0 }],
    );
  const isAsked = request.gates?.length ? gateSelector(request.gates) : () => true;
  const openFailures = [...session.openFailures, ...red].filter(({ gate }) => isAsked(gate));
  if (openFailures.length === 0) return { gates: [], skipped: [] };
  const plan = planFor(
    project,
    { ...request, gates: [] },
    { ...situation, session: { ...session, openFailures } },
  );
  const isFailed = new Set(openFailures.map(({ gate }) => gateId(gate)));
  return { ...plan, gates: plan.gates.filter(({ id }) => isFailed.has(id)) };
}

/** Every file counts as changed for the checks; a review reads the change, and has nothing to read without one. */
async function planAll(project: Project, request: RunRequest, situation: Situation): Promise<Plan> {
  const { detected, snapshot } = situation;
  const contents = await snapshot.listFiles();
  const files: readonly ChangedFile[] =
    contents === undefined
      ? detected.changes.files
      : [...contents.keys()].map((path) => ({ path: projectPath(path), change: "modified" }));
  const changes = { ...detected.changes, files };
  const all = planFor(project, request, { ...situation, detected: { ...detected, changes } });
  const reviews = planFor(project, request, situation);
  return {
    gates: [
      ...all.gates.filter((one) => !isReview(one)).map((one) => ({ ...one, reason: "asked for with --all" })),
      ...reviews.gates.filter(isReview),
    ],
    skipped: [...all.skipped.filter((one) => !isReview(one)), ...reviews.skipped.filter(isReview)],
  };
}

function isReview({ id }: { readonly id: string }): boolean {
  return id.startsWith("review:");
}
