import { protectedFileFinder } from "../../config/protected-files.ts";
import type { GuardName } from "../../config/settings.ts";
import { type GateOutcome, isBlocking } from "../../gates/outcome.ts";
import { startIn } from "../../stop/session.ts";
import type { Found, GuardedRun } from "./guarded-run.ts";
import type { runTrials, untestedChanges } from "./by-running.ts";
import type { PatchedFile } from "./patched-file.ts";

/** The guards that run something, or read what gates have written. */
export type RunningGuard = Extract<GuardName, "original-tests" | "unproven-tests" | "untested-changes">;

export type LoadByRunning = () => Promise<{
  readonly runTrials: typeof runTrials;
  readonly untestedChanges: typeof untestedChanges;
}>;

interface AfterGates {
  readonly outcomes: readonly GateOutcome[];
  readonly load: LoadByRunning;
  /** When the gates began, on the wall clock. */
  readonly since: number;
  /** When they must be done, on the clock of `elapsedMs`. */
  readonly untilMs: number;
  readonly files: readonly PatchedFile[];
}

/** What they found. One that is absent did not run: it has nothing to say about a change that does not pass, or is not the work tree. */
export async function findByRunning(
  run: GuardedRun,
  { outcomes, load, since, untilMs, files }: AfterGates,
): Promise<Partial<Record<RunningGuard, Found>>> {
  const { project, request } = run;
  const { guards = {} } = project.settings;
  if (request.commit !== undefined || request.staged === true || outcomes.some(isBlocking)) return {};
  const names = (["original-tests", "unproven-tests"] as const).filter((name) => guards[name] !== undefined);
  const isMeant = names.length > 0 && mayBeChanged(run);
  const found = isMeant ? await (await load()).runTrials(run, names, { outcomes, untilMs }) : new Map();
  return {
    ...Object.fromEntries(names.map((name) => [name, NOTHING])),
    ...Object.fromEntries(found),
    ...(guards["untested-changes"] === undefined ? {} : { "untested-changes": await untested() }),
  };

  async function untested(): Promise<Found> {
    if (!hasCoverage(run)) return NOTHING;
    return (await load()).untestedChanges(run, files, since);
  }
}

const NOTHING: Found = { findings: [] };

function hasCoverage({ planned: { plan } }: GuardedRun): boolean {
  return plan.gates.some(({ gate }) => gate.kind === "check" && gate.coverage !== undefined);
}

/** Whether a protected file may have changed since the session began, as far as that is known without asking git. */
function mayBeChanged({ project, planned }: GuardedRun): boolean {
  const { changes } = planned.detected;
  const start = startIn(project.session.value, project.settings.root);
  const isSameBase = start?.tree === undefined || start.tree === `${changes.baseCommit}^{tree}`;
  if (!isSameBase) return true; // a file may have come and gone since what changes are measured from
  const protectedOf = protectedFileFinder(project.settings);
  return changes.files.some(({ path, from }) =>
    [path, from].some((one) => one !== undefined && protectedOf(one)),
  );
}
