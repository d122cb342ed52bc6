import { doubtAbout, type Span } from "../../core/baseline/movement.ts";
import type { RunEvent } from "../../core/run.ts";
import { now } from "../../machine/clock.ts";
import type { Snapshot } from "../../machine/git/snapshot.ts";

/** Whether the work tree stood still while the gates looked at it. */
export interface Stillness {
  /** Every file is as it was before the gates, and was all the time, as far as we know: a pass may be used again. */
  readonly isStill: boolean;
  /** Why it is doubtful that the gates judged what is there. */
  readonly doubt?: string;
}

/** Notes when each gate ran. */
export class GateSpans {
  readonly #spans = new Map<string, Span>();

  note(event: RunEvent): void {
    if (event.kind === "gate-started") this.#spans.set(event.planned.id, { start: now(), end: Infinity });
    if (event.kind !== "gate-finished") return;
    const span = this.#spans.get(event.outcome.id);
    if (span !== undefined) this.#spans.set(event.outcome.id, { ...span, end: now() });
  }

  /** What ran before the tree was looked at again says nothing about it. */
  forget(): void {
    this.#spans.clear();
  }

  all(): readonly Span[] {
    return [...this.#spans.values()];
  }
}

export async function stillnessOf(snapshot: Snapshot, spans: GateSpans): Promise<Stillness> {
  const movement = await snapshot.movement();
  const doubt = doubtAbout(movement, spans.all());
  return doubt === undefined ? { isStill: movement.isCurrent } : { isStill: false, doubt };
}
