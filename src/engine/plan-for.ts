import type { ChangeSet } from "../core/change-set.ts";
import type { SessionHistory } from "../core/history.ts";
import { type Plan, planGates } from "../core/plan.ts";
import { kindOf } from "../machine/kind-of.ts";
import type { Project } from "./project.ts";
import type { RunRequest } from "./run-request.ts";

/** The plan for a request, given what changed and what the session has open. */
export function planFor(
  { settings, ci }: Project,
  request: RunRequest,
  { changes, session }: { changes: ChangeSet; session: SessionHistory },
): Plan {
  return planGates(settings, changes, {
    ci,
    only: request.gates ?? [],
    kinds: request.kind === undefined ? ["check", "review"] : [request.kind],
    openFailures: session.openFailures,
    kindOf: (path) => kindOf(`${settings.root}/${path}`),
  });
}
