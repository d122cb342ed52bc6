import { type GateOutcome, isBlocking } from "../gates/outcome.ts";
import type { PlannedGate } from "../gates/gate.ts";

interface Awaited {
  readonly promise: Promise<GateOutcome | undefined>;
  readonly resolve: (outcome: GateOutcome | undefined) => void;
}

/** Which gates wait for which, while a run goes on. The configuration has no circles. */
export class Needs {
  /** What is needed comes before what needs it: no gate waits for one behind it, so the lanes never run dry. */
  readonly ordered: readonly PlannedGate[];
  readonly #needsOf: ReadonlyMap<string, readonly string[]>;
  readonly #outcomes = new Map<string, Awaited>();

  /** `settled`: the outcomes of gates that ran before these. */
  constructor(gates: readonly PlannedGate[], settled: readonly GateOutcome[]) {
    const known = [...gates.map(({ id, scope, gate }) => ({ id, scope, name: gate.name })), ...settled];
    this.#needsOf = new Map(gates.map((planned) => [planned.id, idsNeeded(planned, known)]));
    for (const { id } of known) this.#outcomes.set(id, awaited());
    for (const outcome of settled) this.settle(outcome);
    this.ordered = gates.toSorted((one, other) => this.#depth(one.id) - this.#depth(other.id));
  }

  settle(outcome: GateOutcome): void {
    this.#outcomes.get(outcome.id)?.resolve(outcome);
  }

  /** After a bug in one gate, what waits for it must end too. */
  abandon(): void {
    for (const { resolve } of this.#outcomes.values()) resolve(undefined);
  }

  /** Waits for what a gate needs; why it must not run, if so. */
  async whyNot({ id }: PlannedGate): Promise<string | undefined> {
    const needed = (this.#needsOf.get(id) ?? []).flatMap((one) => this.#outcomes.get(one)?.promise ?? []);
    const outcomes = await Promise.all(needed);
    if (outcomes.includes(undefined)) return "the run ended before what it needs";
    const stopper = outcomes.find((outcome) => outcome !== undefined && keepsOthersBack(outcome));
    return stopper === undefined ? undefined : `it needs ${stopper.name}, which did not pass`;
  }

  #depth(id: string): number {
    return 1 + Math.max(-1, ...(this.#needsOf.get(id) ?? []).map((need) => this.#depth(need)));
  }
}

/** In the same scope where the needed gate runs there, else wherever it runs; a gate that is not planned holds up nothing. */
function idsNeeded(
  { gate, scope }: PlannedGate,
  known: readonly { readonly id: string; readonly scope: string; readonly name: string }[],
): readonly string[] {
  return (gate.needs ?? []).flatMap((need) => {
    const named = known.filter(({ name }) => name === need);
    const near = named.filter((one) => one.scope === scope);
    return (near.length > 0 ? near : named).map(({ id }) => id);
  });
}

/** Gates with all that they need, and what that needs, in the order of the plan. */
export function withNeeded(
  gates: readonly PlannedGate[],
  all: readonly PlannedGate[],
): readonly PlannedGate[] {
  const known = all.map(({ id, scope, gate }) => ({ id, scope, name: gate.name }));
  const wanted = new Set<string>();
  const want = (planned: PlannedGate): void => {
    if (wanted.has(planned.id)) return;
    wanted.add(planned.id);
    const needed = idsNeeded(planned, known);
    for (const other of all) if (needed.includes(other.id)) want(other);
  };
  gates.forEach(want);
  return all.filter(({ id }) => wanted.has(id));
}

/** What passed, was reused or only warns lets others run; so does a reviewer that was not there, unless it blocks. */
function keepsOthersBack(outcome: GateOutcome): boolean {
  if (outcome.warnOnly) return false;
  return isBlocking(outcome) || ["errored", "cancelled", "skipped"].includes(outcome.kind);
}

function awaited(): Awaited {
  const held: { resolve?: Awaited["resolve"] } = {};
  const promise = new Promise<GateOutcome | undefined>((done) => (held.resolve = done));
  return { promise, resolve: (outcome) => held.resolve?.(outcome) };
}
