import type { Status } from "../core/status.ts";
import type { Reasoned, RecordedRun, StopRecord } from "../core/stop-record.ts";

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
    "Guards, in order",
    ...guardLines(record),
    ...(run === undefined ? [] : runLines(run)),
    "",
    `What the host got (exit code ${record.answer.exitCode})`,
    `  ${record.answer.stdout.trimEnd()}`,
    ...(verdict.notice === undefined ? [] : ["", "What the person was told", ...indented(verdict.notice)]),
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

/** One question of the engine: what it means when it lets the stop on, and when it ends the matter. */
interface Guard {
  readonly ends: Status;
  readonly on: string;
  readonly end: string;
}

/** As the engine asks them; `passed` here is a pass taken over from an earlier run. */
const GUARDS: readonly Guard[] = [
  { ends: "invalid_input", on: "it is a stop", end: "it is not a stop" },
  {
    ends: "stop_hook_active",
    on: "the agent is not on its way after a block, or every stop is enforced",
    end: "the agent goes on after a block and is let through (stop_hook.when_active: allow)",
  },
  { ends: "no_config", on: "a gauntlet project", end: "no .gauntlet/config.yml here or above" },
  {
    ends: "stop_hook_disabled",
    on: "the stop hook is on",
    end: "the stop hook is off, or this event is not gated",
  },
  {
    ends: "deferred",
    on: "the agent is done",
    end: "the agent is not done: it plans, or others work for it",
  },
  {
    ends: "passed",
    on: "the tree is not the one that passed last",
    end: "the tree is the one that passed last",
  },
  {
    ends: "retry_limit_exceeded",
    on: "the tree is not one we gave up on",
    end: "the tree is the one we gave up on",
  },
  { ends: "interval_not_elapsed", on: "not too soon after the last run", end: "too soon after the last run" },
  { ends: "lock_conflict", on: "no other run is going on", end: "another run is going on" },
  { ends: "no_changes", on: "something changed", end: "nothing changed" },
  { ends: "no_applicable_gates", on: "gates apply", end: "no gate applies to the changes" },
];

/** Each guard with its answer, up to the one that ended it. */
function guardLines(record: StopRecord): readonly string[] {
  if (hasRun(record)) return GUARDS.map(({ on }) => `  ✓ ${on}`);
  const { status } = record.verdict;
  const ending = GUARDS.findIndex(({ ends }) => ends === takenOver(status));
  if (ending === -1) return ["  trouble of our own ended it before any gate ran"];
  return GUARDS.slice(0, ending + 1).map(({ on, end }, index) =>
    index === ending ? `  ■ ${end}` : `  ✓ ${on}`,
  );
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
