import type { CheckGate } from "../../core/gate.ts";
import { type GateOutcome, isBlocking, isComparable, isOutOfReach } from "../../core/outcome.ts";
import type { Plan, PlannedGate } from "../../core/plan/plan.ts";
import { isPartial, type RunEvent, type RunRequest } from "../../core/run.ts";
import { type GateContext, outcomeOf } from "../../gates/gate-context.ts";
import type { Conduct } from "../conduct/conduct.ts";
import type { Project } from "./project.ts";
import type { PlannedRun } from "./plan-run.ts";
import { elapsedMs } from "../../machine/clock.ts";
import { kindOf } from "../../machine/files/files.ts";
import type { Comparer, ComparedRun } from "../baseline/comparer.ts";

type RunGate = (planned: PlannedGate, context: GateContext, signal: AbortSignal) => Promise<GateOutcome>;

export interface RunGatesOptions {
  readonly maxParallel: number;
  readonly context: GateContext;
  /** Runs one gate; the kinds differ between the front doors. */
  readonly runGate: RunGate;
  readonly onEvent: (event: RunEvent) => void;
  /** Why a gate need not run again, where that is known. */
  readonly reuse?: ((planned: PlannedGate) => string | undefined) | undefined;
  /** The outcome of a finished gate, where that takes more than its own run. */
  readonly settle?: ((planned: PlannedGate, outcome: GateOutcome) => Promise<GateOutcome>) | undefined;
  /** Gates of the plan that have run already. */
  readonly settled?: readonly GateOutcome[] | undefined;
}

/**
 * Runs the planned gates: the parallel ones beside each other, the others one after another beside those. Returns one
 * outcome for each, in the plan's order. An aborted signal ends what runs; nothing new starts.
 */
export async function runGates(
  plan: Plan,
  options: RunGatesOptions,
  signal: AbortSignal,
): Promise<readonly GateOutcome[]> {
  const { maxParallel, onEvent } = options;
  const needs = await needsOf(plan, options);
  const outcomes = new Map(options.settled?.map((outcome) => [outcome.id, outcome]));
  const began = elapsedMs();
  const lane: Lane = {
    start: async (planned) => {
      const whyNot = await needs?.whyNot(planned);
      if (whyNot !== undefined) return outcomeOf(planned, 0, { kind: "skipped", detail: whyNot });
      if (signal.aborted) return neverStarted(planned);
      const reused = options.reuse?.(planned);
      if (reused !== undefined) return outcomeOf(planned, 0, { kind: "passed", reused });
      onEvent({ kind: "gate-started", planned });
      const startedMs = Math.round(elapsedMs() - began);
      const outcome = { ...(await options.runGate(planned, options.context, signal)), startedMs };
      return options.settle?.(planned, outcome) ?? outcome;
    },
    finish: (outcome) => {
      outcomes.set(outcome.id, outcome);
      needs?.settle(outcome);
      onEvent({ kind: "gate-finished", outcome });
    },
  };
  const isTogether = ({ gate }: PlannedGate): boolean => gate.parallel && maxParallel > 1;
  const ordered = needs?.ordered ?? plan.gates;
  const together = ordered.filter((planned) => isTogether(planned) && !outcomes.has(planned.id));
  const inTurn = ordered.filter((planned) => !isTogether(planned));
  const lanes = inTurn.length > 0 ? maxParallel - 1 : maxParallel;
  const shared = together.values();
  const all = [
    runInTurn(inTurn, lane, options.settled),
    ...Array.from({ length: Math.min(lanes, together.length) }, () => runLane(shared, lane)),
  ];
  if (needs !== undefined) for (const one of all) one.catch(() => needs.abandon());
  await allEnded(all);
  return plan.gates.flatMap(({ id }) => outcomes.get(id) ?? []);
}

async function needsOf({ gates }: Plan, { settled = [] }: RunGatesOptions) {
  if (!gates.some(({ gate }) => gate.needs !== undefined)) return undefined;
  const { Needs } = await import("./needs.ts"); // most projects have none
  return new Needs(gates, settled);
}

interface WatchedRun {
  readonly project: Project;
  readonly request: RunRequest;
  readonly planned: PlannedRun;
  readonly onEvent: RunGatesOptions["onEvent"];
}

/** Runs the gates while the project's guards look at the change; guards speak for a run of everything only. */
export async function runWatched(
  { project, request, planned, onEvent }: WatchedRun,
  run: () => Promise<readonly GateOutcome[]>,
): Promise<Conduct> {
  if (guardsIn(project, request) === 0) return { outcomes: await run(), notices: [] };
  const { watchConduct } = await import("../conduct/conduct.ts"); // patterns of ten languages, which only guards need
  const conductOf = watchConduct(project, request, planned);
  const ran = await run();
  const conduct = await conductOf(ran);
  for (const outcome of conduct.outcomes.slice(ran.length)) onEvent({ kind: "gate-finished", outcome });
  return conduct;
}

/** How many guards look at the change of a run. */
export function guardsIn({ settings }: Project, request: RunRequest): number {
  return isPartial(request) ? 0 : Object.keys(settings.guards ?? {}).length;
}

interface Lane {
  readonly start: (planned: PlannedGate) => Promise<GateOutcome>;
  readonly finish: (outcome: GateOutcome) => void;
}

/** Several lanes draw from one iterator, so each gate runs once. */
async function runLane(gates: Iterable<PlannedGate>, { start, finish }: Lane): Promise<void> {
  for (const planned of gates) finish(await start(planned));
}

/** Those that have run already, with their `fix`, count in their place. */
async function runInTurn(
  gates: readonly PlannedGate[],
  { start, finish }: Lane,
  settled: readonly GateOutcome[] = [],
): Promise<void> {
  let stopper: PlannedGate | undefined;
  for (const planned of gates) {
    const known = settled.find(({ id }) => id === planned.id);
    const outcome = known ?? (stopper === undefined ? await start(planned) : skippedAfter(stopper, planned));
    if (known === undefined) finish(outcome);
    if (planned.gate.failFast && isBlocking(outcome) && !isOutOfReach(outcome)) stopper ??= planned;
  }
}

/** Like `Promise.all`, but a bug in one lane travels only when the others have ended: no gate outlives its run. */
async function allEnded(lanes: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
}

function skippedAfter(stopper: PlannedGate, planned: PlannedGate): GateOutcome {
  return outcomeOf(planned, 0, { kind: "skipped", detail: `${stopper.gate.name} failed and has fail_fast` });
}

function neverStarted(planned: PlannedGate): GateOutcome {
  return outcomeOf(planned, 0, { kind: "cancelled", detail: "not started: the run was ended first" });
}

/** Runs the gates; checks that fail are compared with what was red before if the project wants that. */
export async function runCompared(
  run: ComparedRun,
  options: RunGatesOptions,
): Promise<readonly GateOutcome[]> {
  await using comparison = compareWhenRed(run);
  const { settle } = comparison;
  return await runGates(run.planned.plan, { ...options, settle }, run.project.signal); // the earlier tree is removed after it
}

function compareWhenRed(run: ComparedRun): AsyncDisposable & Pick<RunGatesOptions, "settle"> {
  let comparer: Promise<Comparer> | undefined;
  const load = async (): Promise<Comparer> => new (await import("../baseline/comparer.ts")).Comparer(run); // most runs have no red check to compare
  return {
    settle: async ({ gate, ...planned }, outcome) => {
      if (gate.kind !== "check" || !isComparable(outcome) || !mayBeExcused(gate, run)) return outcome;
      comparer ??= load();
      return (await comparer).settle({ ...planned, gate }, outcome);
    },
    [Symbol.asyncDispose]: async () => (await comparer)?.[Symbol.asyncDispose](),
  };
}

function mayBeExcused({ onlyNew }: CheckGate, { project, request }: ComparedRun): boolean {
  if (request.onlyNew === false) return false;
  return (
    (request.onlyNew ?? onlyNew) || kindOf(`${project.settings.root}/.gauntlet/baseline.json`) === "file"
  );
}
