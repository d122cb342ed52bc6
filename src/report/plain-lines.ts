import { counted } from "../core/counted.ts";
import type { PastRun } from "../core/record/history.ts";
import { describeOutcome, type GateOutcome } from "../core/outcome.ts";
import type { RunEvent } from "../core/run.ts";
import { statusTitle } from "../core/stop/status.ts";

/** How a gate is called: by its id in logs, by its name where people read. */
export type LabelOf = (id: string) => string;

/** The name of each gate, or its id where two gates have the same name. */
export function gateLabels(gates: readonly { readonly id: string; readonly name: string }[]): LabelOf {
  const names = new Map(gates.map(({ id, name }) => [id, name]));
  const all = [...names.values()];
  const shared = new Set(all.filter((name, index) => all.indexOf(name) !== index));
  return (id) => {
    const name = names.get(id) ?? guardIn(id); // guards speak of the whole run and are in no plan
    return name === undefined || shared.has(name) ? id : name;
  };
}

function guardIn(id: string): string | undefined {
  return id.startsWith("guard:") ? id.split(":").at(-1) : undefined;
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

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** `2 minutes ago`; a time that lies ahead is the fault of a clock, and counts as now. */
export function ago(time: number, now: number): string {
  const passed = now - time;
  const [noun, length] = UNITS.find(([, unit]) => passed >= unit) ?? [undefined, 1];
  return noun === undefined ? "just now" : `${counted(Math.floor(passed / length), noun)} ago`;
}

export function finishedLine(outcome: GateOutcome, labelOf: LabelOf = byId): string {
  const log = outcome.logPath === undefined || outcome.kind === "passed" ? "" : ` Log: ${outcome.logPath}`;
  const isPlainPass =
    outcome.kind === "passed" && outcome.warning === undefined && outcome.reused === undefined;
  const words = isPlainPass ? "" : ` ${describeOutcome(outcome)}`;
  return `[${label(outcome)}] ${labelOf(outcome.id)} (${formatDuration(outcome.durationMs)})${words}${log}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function label(outcome: GateOutcome): string {
  if (outcome.kind === "passed") return outcome.warning === undefined ? "PASS" : "WARN";
  if (outcome.kind === "failed" || outcome.kind === "timed-out") return outcome.warnOnly ? "WARN" : "FAIL";
  if (outcome.kind === "errored") return "ERROR";
  return outcome.kind === "unavailable" && outcome.blocks ? "FAIL" : "SKIP";
}
