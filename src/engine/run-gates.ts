import { type GateOutcome, isBlocking, isOutOfReach } from "../core/outcome.ts";
import type { Plan, PlannedGate } from "../core/plan.ts";
import type { RunEvent } from "../core/run.ts";
import type { GateContext } from "../gates/gate-context.ts";
import { outcomeOf } from "../gates/outcome-of.ts";
import { runGate } from "../gates/run-gate.ts";

export interface RunGatesOptions {
  readonly maxParallel: number;
  readonly context: GateContext;
  readonly onEvent: (event: RunEvent) => void;
  /** Why a gate need not run again, where that is known. */
  readonly reuse?: ((planned: PlannedGate) => string | undefined) | undefined;
  /** What a finished gate comes to, where that takes more than its own run. */
  readonly settle?: ((planned: PlannedGate, outcome: GateOutcome) => Promise<GateOutcome>) | undefined;
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
  const outcomes = new Map<string, GateOutcome>();
  const lane: Lane = {
    start: async (planned) => {
      if (signal.aborted) return neverStarted(planned);
      const reused = options.reuse?.(planned);
      if (reused !== undefined) return outcomeOf(planned, 0, { kind: "passed", reused });
      onEvent({ kind: "gate-started", planned });
      const outcome = await runGate(planned, options.context, signal);
      return options.settle?.(planned, outcome) ?? outcome;
    },
    finish: (outcome) => {
      outcomes.set(outcome.id, outcome);
      onEvent({ kind: "gate-finished", outcome });
    },
  };
  const isTogether = ({ gate }: PlannedGate): boolean => gate.parallel && maxParallel > 1;
  const together = plan.gates.filter(isTogether);
  const inTurn = plan.gates.filter((planned) => !isTogether(planned));
  const lanes = inTurn.length > 0 ? maxParallel - 1 : maxParallel;
  const shared = together.values();
  await allEnded([
    runInTurn(inTurn, lane),
    ...Array.from({ length: Math.min(lanes, together.length) }, () => runLane(shared, lane)),
  ]);
  return plan.gates.flatMap(({ id }) => outcomes.get(id) ?? []);
}

interface Lane {
  readonly start: (planned: PlannedGate) => Promise<GateOutcome>;
  readonly finish: (outcome: GateOutcome) => void;
}

/** Several lanes draw from one iterator, so each gate runs once. */
async function runLane(gates: Iterable<PlannedGate>, { start, finish }: Lane): Promise<void> {
  for (const planned of gates) finish(await start(planned));
}

async function runInTurn(gates: readonly PlannedGate[], { start, finish }: Lane): Promise<void> {
  let stopper: PlannedGate | undefined;
  for (const planned of gates) {
    const outcome = stopper === undefined ? await start(planned) : skippedAfter(stopper, planned);
    finish(outcome);
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
