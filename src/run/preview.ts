import type { ChangeSet } from "../system/git/change-set.ts";
import type { Plan } from "./plan.ts";
import type { PlannedGuard } from "../gates/gate.ts";
import { isPartial, type RunRequest } from "./request.ts";
import { type ProtectedFile, protectedFileFinder } from "../config/protected-files.ts";
import { GUARD_NAMES } from "../config/settings.ts";
import { retriesIn } from "../stop/session.ts";
import { fail, ok, type Result } from "../trouble.ts";
import { WorkTree } from "../system/git/work-tree.ts";
import { openGatePasses } from "./gate-passes.ts";
import { fallbacksOf, openProject, type Project, readPast } from "./open.ts";
import { choosePlan, planFor, unknownGate, withPackages } from "./plan-run.ts";

/** What a run would look at and do. */
export interface Preview {
  readonly changes: ChangeSet;
  /** Without the gates that passed before. */
  readonly plan: Plan;
  /** The gates that passed before with the same inputs, with who says so. */
  readonly reused: Plan["skipped"];
  readonly guards: readonly PlannedGuard[];
  /** The changed files that count as tests or settings, if a guard wants to know. */
  readonly protectedFiles: readonly (ProtectedFile & { readonly path: string })[];
}

/** What a run would look at and do, without a lock and without running a gate. */
export async function previewRun(request: RunRequest): Promise<Result<Preview>> {
  const opened = await openProject(request);
  return opened.ok ? previewProject(opened.value, request) : opened;
}

/** The same for a project as it is given. */
export async function previewProject(
  project: Project,
  request: RunRequest & { readonly onlyShared?: boolean },
): Promise<Result<Preview>> {
  const past = readPast(project);
  const retries = retriesIn(project.session.value, project.settings.root);
  const query = { ...project.query, known: fallbacksOf(project, past) };
  await using tree = await WorkTree.open({ ...project, query });
  const detected = await tree.changes();
  if (!detected.ok) return detected;
  const { changes } = detected.value;
  const expanded = await withPackages(project, detected.value, tree);
  const unknown = unknownGate(expanded, request);
  if (unknown !== undefined) return fail(unknown);
  const isChosen = request.all || request.failed; // only these need the files
  const plan = isChosen
    ? await choosePlan(expanded, request, {
        ...past,
        retries,
        runNumber: 0,
        detected: detected.value,
        snapshot: await tree.snapshot(),
      })
    : planFor(expanded, request, { detected: detected.value, retries });
  const compared = withComparison(plan, request, changes);
  const notes =
    changes.uncheckedCommits === undefined ? changes.notes : [...changes.notes, changes.uncheckedCommits];
  return ok({
    changes: { ...changes, notes },
    guards: plan.gates.length === 0 ? [] : guardsFor(project, request),
    protectedFiles: protectedIn(project, changes),
    ...(await withPasses(project, compared, { tree, ...request })),
  });
}

/** They look at the change whenever all gates run. */
function guardsFor({ settings }: Project, request: RunRequest): readonly PlannedGuard[] {
  if (isPartial(request)) return [];
  return GUARD_NAMES.flatMap((name) => {
    const mode = settings.guards?.[name];
    const reason = `looks at the whole change (${mode})`;
    return mode === undefined ? [] : [{ id: `guard:.:${name}`, name, mode, reason }];
  });
}

function protectedIn({ settings }: Project, { files }: ChangeSet): Preview["protectedFiles"] {
  const { guards = {} } = settings;
  if (guards["original-tests"] === undefined && guards["unproven-tests"] === undefined) return [];
  const protectedOf = protectedFileFinder(settings);
  return files.flatMap(({ path }) => {
    const file = protectedOf(path);
    return file === undefined ? [] : [{ ...file, path }];
  });
}

/** Checks that block only for what is new say what they would be compared with. */
function withComparison(plan: Plan, { onlyNew }: RunRequest, { comparedTo }: ChangeSet): Plan {
  const gates = plan.gates.map((planned) => {
    const isCompared = planned.gate.kind === "check" && (onlyNew ?? planned.gate.onlyNew);
    const reason = `${planned.reason}; only new problems block, compared with ${comparedTo} or the start of the session`;
    return isCompared ? { ...planned, reason } : planned;
  });
  return { ...plan, gates };
}

/** Gates that passed before with the same inputs would not run; the others that name their inputs say why they would. */
async function withPasses(
  project: Project,
  plan: Plan,
  { tree, onlyShared }: { readonly tree: WorkTree; readonly onlyShared?: boolean },
): Promise<Pick<Preview, "plan" | "reused">> {
  const hasInputs = plan.gates.some(({ gate }) => gate.kind === "check" && gate.inputs !== undefined);
  if (!hasInputs && project.settings.remote?.cache === undefined) return { plan, reused: [] };
  const passes = await openGatePasses(project, { plan, snapshot: await tree.snapshot(), onlyShared });
  const isReused = (planned: Plan["gates"][number]): boolean => passes.reuse(planned) !== undefined;
  const explained = plan.gates.map((planned) => ({
    ...planned,
    reason: [planned.reason, passes.explain(planned)].filter(Boolean).join("; "),
  }));
  const reused = plan.gates.flatMap((planned) => {
    const reason = passes.reuse(planned);
    return reason === undefined ? [] : [{ id: planned.id, reason }];
  });
  const skipped = explained.filter(isReused).map(({ id, reason }) => ({ id, reason }));
  const gates = explained.filter((planned) => !isReused(planned));
  return { plan: { gates, skipped: [...plan.skipped, ...skipped] }, reused };
}
