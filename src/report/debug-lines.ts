import { isBlocking } from "../core/outcome.ts";
import type { RunEvent } from "../core/run.ts";
import type { Status } from "../core/stop/status.ts";

/** A run as terse `KEY name=value` lines for debugging later. */
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

/** What was asked, as the command line that asks for it. */
export function debugCommand(asked: {
  readonly checkInterval?: boolean;
  readonly kind?: "check" | "review";
  readonly gates?: readonly string[];
  readonly base?: string | undefined;
  readonly commit?: string | undefined;
  readonly uncommitted?: boolean | undefined;
}): string {
  const flags = [
    ...(asked.gates ?? []).map((gate) => ` --gate ${JSON.stringify(gate)}`),
    asked.base === undefined ? "" : ` --base ${JSON.stringify(asked.base)}`,
    asked.commit === undefined ? "" : ` --commit ${JSON.stringify(asked.commit)}`,
    asked.uncommitted ? " --uncommitted" : "",
  ];
  return `COMMAND ${asked.checkInterval ? "stop-hook" : (asked.kind ?? "run")}${flags.join("")}`;
}

export function debugEnd(result: { status: Status; gatesRun: number; gatesFailed: number }): string {
  return `RUN_END status=${result.status} gates_run=${result.gatesRun} gates_failed=${result.gatesFailed}`;
}

/** How a stop hook is answered. */
export function debugDecision(status: Status): string {
  return `STOP_HOOK decision=${status === "failed" ? "block" : "allow"} reason=${status}`;
}

/** Why logs were put away, and how many. */
export function debugClean(why: "asked" | "other-branch" | "merged", logs: number): string {
  return `CLEAN why=${why} logs=${logs}`;
}
