import type { PlannedGate } from "../gates/gate.ts";
import type { runRepl } from "../gates/repl.ts";
import type { runReview } from "../gates/review/review.ts";
import { type GateOutcome, isBlocking, isOutOfReach } from "../gates/outcome.ts";
import type { Plan } from "./plan.ts";
import type { RunEvent } from "./request.ts";
import type { rerunFailed } from "./reruns.ts";
import { runCheck } from "../gates/check.ts";
import { type GateContext, outcomeOf } from "../gates/gate-context.ts";
import { elapsedMs } from "../system/clock.ts";
import { Needs } from "./needs.ts";

/** Loads what only some projects' gates need; the front ends differ in what they have. */
interface GateKinds {
  readonly repl: () => Promise<{ readonly runRepl: typeof runRepl }>;
  readonly review: () => Promise<{ readonly runReview: typeof runReview }>;
  readonly red: () => Promise<{ readonly rerunFailed: typeof rerunFailed }>;
}

export interface RunGatesOptions {
  readonly maxParallel: number;
  readonly context: GateContext;
  readonly kinds: GateKinds;
  readonly onEvent: (event: RunEvent) => void;
  readonly beforeStart?: (() => Promise<void>) | undefined;
  readonly reuse?: ((planned: PlannedGate) => string | undefined) | undefined;
  /** The outcome of a finished gate, if that takes more than its own run. */
  readonly settle?: ((planned: PlannedGate, outcome: GateOutcome) => Promise<GateOutcome>) | undefined;
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
  const { maxParallel, onEvent, settled = [] } = options;
  const hasNeeds = plan.gates.some(({ gate }) => gate.needs !== undefined);
  const needs = hasNeeds ? new Needs(plan.gates, settled) : undefined;
  const outcomes = new Map(settled.map((outcome) => [outcome.id, outcome]));
  const lane: Lane = {
    options,
    needs,
    signal,
    began: elapsedMs(),
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
    runInTurn(inTurn, lane),
    ...Array.from({ length: Math.min(lanes, together.length) }, () => runLane(shared, lane)),
  ];
  if (needs !== undefined) for (const one of all) one.catch(() => needs.abandon());
  await Promise.allSettled(all); // a bug in one lane travels only when the others have ended: no gate outlives its run
  await Promise.all(all);
  return plan.gates.flatMap(({ id }) => outcomes.get(id) ?? []);
}

interface Lane {
  readonly options: RunGatesOptions;
  readonly needs: Needs | undefined;
  readonly signal: AbortSignal;
  /** When the first gate could start, on the clock of `elapsedMs`. */
  readonly began: number;
  readonly finish: (outcome: GateOutcome) => void;
}

/** Several lanes draw from one iterator, so each gate runs once. */
async function runLane(gates: Iterable<PlannedGate>, lane: Lane): Promise<void> {
  for (const planned of gates) lane.finish(await runOne(planned, lane));
}

/** Those that have run already, with their `fix`, count in their place. */
async function runInTurn(gates: readonly PlannedGate[], lane: Lane): Promise<void> {
  let stopper: PlannedGate | undefined;
  for (const planned of gates) {
    const known = lane.options.settled?.find(({ id }) => id === planned.id);
    const outcome = known ?? (stopper ? skippedAfter(stopper, planned) : await runOne(planned, lane));
    if (known === undefined) lane.finish(outcome);
    if (planned.gate.failFast && isBlocking(outcome) && !isOutOfReach(outcome)) stopper ??= planned;
  }
}

/** One gate, whatever its kind: once what it needs has passed, and only if no pass of it can be used again. */
async function runOne(planned: PlannedGate, lane: Lane): Promise<GateOutcome> {
  const { options, signal } = lane;
  const { context, kinds } = options;
  const whyNot = await lane.needs?.whyNot(planned);
  if (whyNot !== undefined) return outcomeOf(planned, 0, { kind: "skipped", detail: whyNot });
  if (signal.aborted) return neverStarted(planned);
  const reused = options.reuse?.(planned);
  if (reused !== undefined) return outcomeOf(planned, 0, { kind: "passed", reused });

  await options.beforeStart?.();
  options.onEvent({ kind: "gate-started", planned });
  const startedMs = Math.round(elapsedMs() - lane.began);
  const { gate } = planned;
  let outcome: GateOutcome;
  switch (gate.kind) {
    case "check":
      outcome = await runCheck({ ...planned, gate }, context, signal);
      if (outcome.kind === "failed" && gate.reruns !== undefined)
        outcome = await (await kinds.red()).rerunFailed({ ...planned, gate }, outcome, { context, signal });
      break;
    case "repl":
      outcome = await (await kinds.repl()).runRepl({ ...planned, gate }, context, signal);
      break;
    case "review":
      outcome = await (await kinds.review()).runReview({ ...planned, gate }, context, signal);
      break;
  }
  return (await options.settle?.(planned, { ...outcome, startedMs })) ?? { ...outcome, startedMs };
}

function skippedAfter(stopper: PlannedGate, planned: PlannedGate): GateOutcome {
  return outcomeOf(planned, 0, { kind: "skipped", detail: `${stopper.gate.name} failed and has fail_fast` });
}

function neverStarted(planned: PlannedGate): GateOutcome {
  return outcomeOf(planned, 0, { kind: "cancelled", detail: "not started: the run was ended first" });
}
