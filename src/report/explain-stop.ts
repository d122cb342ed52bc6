import { GUARDS } from "../core/guards.ts";
import type { Status } from "../core/status.ts";
import type { Reasoned, RecordedRun, StopRecord } from "../core/session-record.ts";

/** Why a stop was blocked, allowed or deferred: the guards in order, what was looked at, what came of it, what the host got. */
export function explainStop(record: StopRecord): string {
  const { event, verdict, run } = record;
  const headline = `${verdict.decision === "block" ? "Blocked" : "Allowed"} (${verdict.status}): ${verdict.message}`;
  return [
    `${new Date(record.at).toISOString()}  ${event.host}${event.hostVersion === undefined ? "" : ` ${event.hostVersion}`}`,
    headline,
    "",
    "What was asked",
    ...facts(record),
    "",
    "Before anything ran, in order",
    ...guardLines(record),
    ...(run === undefined ? [] : runLines(run)),
    "",
    `What the host got (exit code ${record.answer.exitCode})`,
    `  ${record.answer.stdout.trimEnd()}`,
    ...(verdict.notice === undefined ? [] : ["", "What the user saw", ...indented(verdict.notice)]),
    "",
  ].join("\n");
}

function facts({ event }: StopRecord): readonly string[] {
  const told: readonly [string, string | undefined][] = [
    ["event", event.kind],
    ["agent type", event.agentType],
    ["session", event.sessionId ?? "none named"],
    ["prompt", event.promptId],
    ["directory", event.cwd],
    ["goes on after a block", event.continued ? "yes" : "no"],
    ["permission mode", event.permissionMode],
    ["background work", event.backgroundTasks.map((task) => task.kind).join(", ") || undefined],
  ];
  return told.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name}: ${value}`]));
}

/** Each guard with its answer, up to the one that ended it. */
function guardLines(record: StopRecord): readonly string[] {
  const guards = GUARDS.filter(({ doors }) => doors.includes(record.door));
  if (hasRun(record)) return guards.map(({ past }) => `  ✓ ${past}`);
  const { status } = record.verdict;
  const ending = guards.findIndex((guard) => guard.status === takenOver(status));
  if (ending === -1) return ["  an internal error ended it before any gate ran"];
  return guards
    .slice(0, ending + 1)
    .map(({ past, ended }, index) => (index === ending ? `  ■ ${ended}` : `  ✓ ${past}`));
}

function takenOver(status: Status): Status {
  return status === "passed_with_warnings" ? "passed" : status;
}

function hasRun({ run }: StopRecord): boolean {
  return (run?.outcomes.length ?? 0) > 0;
}

function runLines(run: RecordedRun): readonly string[] {
  const { files, planned, skipped, outcomes, attemptsLeft } = run;
  return [
    ...section(`Changes${run.comparedTo === undefined ? "" : ` compared to ${run.comparedTo}`}`, files),
    ...section("Gates planned", planned.map(reasoned)),
    ...section("Gates skipped", skipped.map(reasoned)),
    ...section(`Outcomes${run.number === undefined ? "" : ` of run ${run.number}`}`, outcomes.map(reasoned)),
    ...(attemptsLeft === undefined ? [] : ["", `Budget: ${attemptsLeft} more blocks before we give up`]),
    ...(run.consoleLogPath === undefined ? [] : [`Log: ${run.consoleLogPath}`]),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}

function reasoned({ id, why }: Reasoned): string {
  return `${id}: ${why}`;
}

function indented(text: string): readonly string[] {
  return text.split("\n").map((line) => `  ${line}`);
}
