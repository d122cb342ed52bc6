import { isBlocking } from "../core/outcome.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { Status } from "../core/status.ts";

/** A run as terse `KEY name=value` lines for whoever looks into a problem later. */
export function debugLine(event: RunEvent): string | undefined {
  switch (event.kind) {
    case "run-planned": {
      const { runNumber, changes, plan } = event;
      const base = JSON.stringify(changes.comparedTo);
      return `RUN_START run=${runNumber} base=${base} files_changed=${changes.files.length} gates=${plan.gates.length} skipped=${plan.skipped.length}`;
    }
    case "gate-started":
      return undefined;
    case "gate-progressed":
      return `GATE_PROGRESS ${event.planned.id} ${event.text}`;
    case "gate-finished": {
      const { id, kind, durationMs } = event.outcome;
      return `GATE_RESULT ${id} status=${kind} duration=${durationMs}ms blocks=${isBlocking(event.outcome)}`;
    }
    case "warned":
      return `WARNING ${event.message}`;
  }
}

export function debugEnd(result: { status: Status; gatesRun: number; gatesFailed: number }): string {
  return `RUN_END status=${result.status} gates_run=${result.gatesRun} gates_failed=${result.gatesFailed}`;
}
