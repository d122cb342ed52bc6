import type { Plan } from "../../core/plan.ts";
import type { RunEvent } from "../../core/run.ts";
import type { RemoteGates } from "../../fleet/workers/remote-gates.ts";
import type { GateContext } from "../../gates/gate-context.ts";
import type { Snapshot } from "../../machine/git/snapshot.ts";
import type { Project } from "./project.ts";

/** The connection of one run to the workers, made when a gate asks for it. */
export class Elsewhere implements Disposable {
  readonly #opened: RemoteGates[] = [];

  /** Where checks with `run_on: workers` run; undefined where none is planned. */
  async open(
    { settings, env, query }: Project,
    { plan, snapshot }: { readonly plan: Plan; readonly snapshot: Snapshot },
    onEvent: (event: RunEvent) => void,
  ): Promise<GateContext["elsewhere"]> {
    const workers = settings.remote?.workers;
    const isAsked = plan.gates.some(({ gate }) => gate.kind === "check" && gate.runOn !== undefined);
    if (workers === undefined || !isAsked) return undefined;
    // Loaded only where a gate runs on workers: nothing of it is on the way of other stops.
    const { RemoteGates } = await import("../../fleet/workers/remote-gates.ts");
    const baseBranch = query.base ?? query.baseBranch;
    const gates = new RemoteGates({ workers, root: settings.root, env, snapshot, baseBranch, onEvent });
    this.#opened.push(gates);
    return gates.elsewhere;
  }

  [Symbol.dispose](): void {
    for (const gates of this.#opened) gates[Symbol.dispose]();
  }
}
