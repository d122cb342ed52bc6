import { fileMatcher } from "../config/entry-point.ts";
import type { CheckGate, PlannedGate } from "../gates/gate.ts";
import { describeOutcome, type GateOutcome } from "../gates/outcome.ts";
import { displayPath } from "../path.ts";
import { runCheck } from "../gates/check.ts";
import type { PlannedCheck } from "../gates/gate-context.ts";
import { isFile } from "../system/files/files.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import type { WorkTree } from "../system/git/work-tree.ts";
import type { ActiveRun } from "./active-run.ts";
import { runGates, type RunGatesOptions } from "./gates.ts";
import { withNeeded } from "./needs.ts";
import { choosePlan, type PlannedRun } from "./plan-run.ts";

export interface Fixing extends AsyncDisposable {
  /** The run to judge: with new files where a fix changed some. */
  readonly planned: PlannedRun;
  /** What holds of the checks that have run, because nothing was changed after them. */
  readonly settled: readonly GateOutcome[];
  readonly isChanged: boolean;
}

/**
 * Runs the checks that have a `fix`, and what they need, before all others. Where one fails its fix runs, once, and the files are looked at again: what is
 * judged is never the tree that a fix was still to change.
 */
export async function fixFirst(run: ActiveRun, options: RunGatesOptions): Promise<Fixing> {
  const { planned } = run;
  const { signal } = run.project;
  const fixable = planned.plan.gates.filter(isFixable);
  const hasNeeds = fixable.some(({ gate }) => gate.needs !== undefined);
  const first = hasNeeds ? withNeeded(fixable, planned.plan.gates) : fixable;
  const outcomes = await runGates({ gates: first, skipped: [] }, options, signal);
  const red = new Set(outcomes.filter(({ kind }) => kind === "failed").map(({ id }) => id));
  const toFix = signal.aborted ? [] : fixable.filter(({ id }) => red.has(id));
  const ran = await runFixes(toFix, run, options);
  if (ran.length === 0) return unchanged(planned, outcomes);

  const tree = await planned.tree.again();
  const changed = await changedSince(planned.snapshot, await tree.snapshot());
  if (changed?.length === 0) {
    await tree[Symbol.asyncDispose]();
    const troubles = ran.flatMap(({ trouble }) => trouble ?? []);
    return unchanged(withNotes(planned, troubles), outcomes);
  }
  const again = await lookAgain(run, tree, fixNotes(ran, changed));
  return {
    planned: again,
    settled: [],
    isChanged: true,
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

function unchanged(planned: PlannedRun, settled: readonly GateOutcome[]): Fixing {
  return { planned, settled, isChanged: false, [Symbol.asyncDispose]: () => Promise.resolve() };
}

type Fixable = PlannedGate & { readonly gate: CheckGate & { readonly fix: string } };

function isFixable(planned: PlannedGate): planned is Fixable {
  return planned.gate.kind === "check" && planned.gate.fix !== undefined;
}

interface RanFix {
  readonly name: string;
  readonly command: string;
  /** Why it could not do its work. Exit code 1 is fine: many fixers use it when something is left. */
  readonly trouble?: string;
}

/** One after another: two programs that rewrite the same files must not meet. */
async function runFixes(
  gates: readonly Fixable[],
  { project, planned }: ActiveRun,
  options: RunGatesOptions,
): Promise<readonly RanFix[]> {
  const { signal } = project;
  const ran: RanFix[] = [];
  for (const gate of gates) {
    const asCheck = fixOf(gate, (path) => isFile(`${options.context.root}/${path}`));
    if (asCheck === undefined || signal.aborted) continue;
    options.onEvent({ kind: "gate-progressed", planned: gate, text: `fix: ${gate.gate.fix}` });
    const outcome = await runCheck(asCheck, { ...options.context, runNumber: planned.runNumber }, signal);
    const isDone = outcome.kind === "passed" || (outcome.kind === "failed" && outcome.missing === undefined);
    const trouble = `The fix of ${gate.gate.name} ${describeOutcome(outcome)}.`;
    ran.push({ name: gate.gate.name, command: gate.gate.fix, trouble: isDone ? undefined : trouble });
  }
  return ran;
}

/** The fix as a check, so that it gets the same log, time limit and end; undefined where no file is left to give it. */
function fixOf(planned: Fixable, isThere: (path: string) => boolean): PlannedCheck | undefined {
  const { gate } = planned;
  const { report: _report, runOn: _runOn, ...rest } = gate; // it edits the files here
  const isMeant = gate.files === undefined ? () => true : fileMatcher(gate.files);
  const files = planned.files.filter(({ path }) => isMeant(path) && isThere(path));
  if (gate.fix.includes("{files}") && files.length === 0) return undefined;
  return { ...planned, id: `${planned.id}:fix`, files, gate: { ...rest, command: gate.fix } };
}

async function changedSince(before: Snapshot, after: Snapshot): Promise<readonly string[] | undefined> {
  const [was, is] = await Promise.all([before.listFiles(), after.listFiles()]);
  if (was === undefined || is === undefined) return undefined;
  const paths = new Set([...was.keys(), ...is.keys()]);
  return [...paths].filter((path) => was.get(path) !== is.get(path));
}

const MOST_NAMED = 10;

function fixNotes(ran: readonly RanFix[], changed: readonly string[] | undefined): readonly string[] {
  const commands = ran.map(({ name, command }) => `\`${command}\` (${name})`).join(", ");
  const named = (changed ?? []).slice(0, MOST_NAMED).map((path) => displayPath(path));
  const more = (changed?.length ?? 0) - named.length;
  const files = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const what = changed === undefined ? "ran" : `changed ${files}`;
  return [
    `Before the files were judged, ${commands} ${what}.`,
    ...ran.flatMap(({ trouble }) => trouble ?? []),
  ];
}

async function lookAgain(
  { project, request, planned }: ActiveRun,
  tree: WorkTree,
  notes: readonly string[],
): Promise<PlannedRun> {
  const [detected, snapshot] = await Promise.all([tree.changes(), tree.snapshot()]);
  const seen = { ...planned, snapshot, detected: detected.ok ? detected.value : planned.detected };
  const plan = await choosePlan(project, request, seen);
  return withNotes({ ...seen, plan: plan.gates.length === 0 ? planned.plan : plan }, notes);
}

function withNotes(planned: PlannedRun, notes: readonly string[]): PlannedRun {
  return { ...planned, warnings: [...planned.warnings, ...notes], fixes: notes };
}
