import type { PlannedGate } from "../gates/gate.ts";
import { type GateOutcome, isBlocking, isOutOfReach } from "../gates/outcome.ts";
import type { Plan } from "./plan.ts";
import type { RunEvent } from "./request.ts";
import { type GateContext, outcomeOf } from "../gates/gate-context.ts";
import { elapsedMs } from "../system/clock.ts";

type RunGate = (planned: PlannedGate, context: GateContext, signal: AbortSignal) => Promise<GateOutcome>;

export interface RunGatesOptions {
  readonly maxParallel: number;
  readonly context: GateContext;
  /** Runs one gate; the kinds differ between the front doors. */
  readonly runGate: RunGate;
  readonly onEvent: (event: RunEvent) => void;
  /** Resolves when a gate may start. */
  readonly beforeStart?: (() => Promise<void>) | undefined;
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
      await options.beforeStart?.();
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
