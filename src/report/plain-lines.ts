import { ago, counted, formatDuration } from "../words.ts";
import type { PastRun } from "../stop/passes.ts";
import type { RunEvent } from "../run/request.ts";
import { describeOutcome, type GateOutcome, isBlocking } from "../gates/outcome.ts";

import { statusTitle, type Status } from "../stop/status.ts";

/** How a gate is called: by its id in logs, by its name where people read. */
export type LabelOf = (id: string) => string;

/** The name of each gate, or its id where two gates have the same name. */
export function gateLabels(gates: readonly { readonly id: string; readonly name: string }[]): LabelOf {
  const names = new Map(gates.map(({ id, name }) => [id, name]));
  const all = [...names.values()];
  const shared = new Set(all.filter((name, index) => all.indexOf(name) !== index));
  return (id) => {
    const known = names.get(id);
    if (known === undefined) return all.includes(nameInId(id)) ? id : nameInId(id);
    return shared.has(known) ? id : known;
  };
}

/** `check:.:test` is `test`; a gate of another directory keeps its id. Guards speak of the whole run. */
export function nameInId(id: string): string {
  const [kind, scope, ...name] = id.split(":");
  return kind === "guard" || scope === "." ? name.join(":") : id;
}

/** A run as plain lines, one event at a time: for logs, pipes and build servers. */
export function plainLines(event: RunEvent, labelOf: LabelOf = byId): readonly string[] {
  switch (event.kind) {
    case "run-planned": {
      const { changes, plan, guards } = event;
      const gates = countedGates(plan.gates.length, guards);
      const files = counted(changes.files.length, "changed file");
      return [`Run ${event.runNumber}: ${gates}, ${files} compared to ${changes.comparedTo}`];
    }
    case "gate-started":
      return [`[START] ${labelOf(event.planned.id)}`];
    case "gate-progressed":
      return [`[.....] ${labelOf(event.planned.id)} ${event.text}`];
    case "gate-finished":
      return [finishedLine(event.outcome, labelOf)];
    case "warned":
      return [`[WARN] ${event.message}`];
  }
}

/** `2 gates`, `1 gate and 3 guards`: what runs, and what looks at the change meanwhile. */
export function countedGates(gates: number, guards: number): string {
  return `${counted(gates, "gate")}${guards === 0 ? "" : ` and ${counted(guards, "guard")}`}`;
}

function byId(id: string): string {
  return id;
}

/** `Failed, 2 minutes ago`: a run that is over, in a few words. */
export function summaryOf({ status, completedAt, outcomes }: PastRun, now: number): string {
  const isInterrupted = status === "error" && outcomes.some(({ kind }) => kind === "cancelled");
  return `${isInterrupted ? "Interrupted" : statusTitle(status)}, ${ago(completedAt, now)}`;
}

export function finishedLine(outcome: GateOutcome, labelOf: LabelOf = byId): string {
  const isReused = outcome.kind === "passed" && outcome.reused !== undefined;
  const words = describeOutcome(outcome);
  const parts = [
    `[${label(outcome)}] ${labelOf(outcome.id)}`,
    isReused || outcome.kind === "skipped" ? "" : `(${formatDuration(outcome.durationMs)})`,
    words === "passed" ? "" : words,
    outcome.logPath === undefined || outcome.kind === "passed" ? "" : `Log: ${outcome.logPath}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function label(outcome: GateOutcome): string {
  if (outcome.kind === "passed") return outcome.warning === undefined ? "PASS" : "WARN";
  if (outcome.kind === "failed" || outcome.kind === "timed-out") return outcome.warnOnly ? "WARN" : "FAIL";
  if (outcome.kind === "errored") return "ERROR";
  return outcome.kind === "unavailable" && outcome.blocks ? "FAIL" : "SKIP";
}

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

export function debugCommand(asked: {
  readonly isStop?: boolean;
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
  return `COMMAND ${asked.isStop ? "stop-hook" : (asked.kind ?? "run")}${flags.join("")}`;
}

export function debugEnd(result: { status: Status; gatesRun: number; gatesFailed: number }): string {
  return `RUN_END status=${result.status} gates_run=${result.gatesRun} gates_failed=${result.gatesFailed}`;
}

export function debugDecision(status: Status): string {
  return `STOP_HOOK decision=${status === "failed" ? "block" : "allow"} reason=${status}`;
}

/** Why logs were put away, and how many. */
export function debugClean(why: "asked" | "other-branch" | "merged", logs: number): string {
  return `CLEAN why=${why} logs=${logs}`;
}
