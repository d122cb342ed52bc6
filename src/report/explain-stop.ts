import { EARLY_EXITS } from "../stop/early-exits.ts";
import type { Reasoned, RecordedRun } from "../run/result.ts";
import { displayPath } from "../path.ts";
import type { PastStop, StopRecord } from "../stop/session.ts";
import { type Status, statusMessage } from "../stop/status.ts";
import type { VerdictRecord } from "../ledger/verdict-record.ts";
import { formatDuration } from "../words.ts";

/** Why a stop was blocked, allowed or deferred: what was asked before any gate, in order, what was looked at, what came of it, what the host got. */
export function explainStop(stop: PastStop): string {
  const { line, details } = stop;
  const { at, host, hostVersion, decision, status, message } = headOf(stop);
  const { run, answer, verdict } = details ?? {};
  return [
    `${new Date(at).toISOString()}  ${[host, hostVersion].filter(Boolean).join(" ")}`,
    `${decision === "block" ? "Blocked" : "Allowed"} (${status}): ${message}`,
    "",
    "What was asked",
    ...(details === undefined ? facts([["session", line.session]]) : askedFacts(details)),
    "",
    "Before anything ran, in order",
    ...exitLines(stop),
    ...(run === undefined ? [] : runLines(run)),
    ...(line === undefined ? [] : judgedLines(line)),
    ...(details === undefined && line.outcomes !== undefined ? recordedRunLines(line) : []),
    ...(answer === undefined
      ? ["", "Files, plan and answer are kept only of the last stop of a session."]
      : ["", `What the host got (exit code ${answer.exitCode})`, `  ${answer.stdout.trimEnd()}`]),
    ...(verdict?.notice === undefined ? [] : ["", "What the user saw", ...indented(verdict.notice)]),
    ...(verdict?.wholeNotice === undefined ? [] : ["", "The same in full", ...indented(verdict.wholeNotice)]),
    "",
  ].join("\n");
}

/** What every stop has, by its details or by its line alone. */
export function headOf({ line, details }: PastStop) {
  if (details === undefined) {
    const { at, host, decision = "allow", status } = line;
    return { at, host, hostVersion: undefined, decision, status, message: statusMessage(status) };
  }
  const { at, event, verdict } = details;
  const { host, hostVersion } = event;
  return { at, host, hostVersion, ...verdict };
}

function askedFacts({ event }: StopRecord): readonly string[] {
  return facts([
    ["event", event.kind],
    ["agent type", event.agentType],
    ["session", event.sessionId ?? "none named"],
    ["prompt", event.promptId],
    ["directory", event.cwd],
    ["continues after a block", event.continued ? "yes" : "no"],
    ["permission mode", event.permissionMode],
    ["background work", event.backgroundTasks.map((task) => task.kind).join(", ") || undefined],
  ]);
}

function facts(all: readonly (readonly [string, string | undefined])[]): readonly string[] {
  return all.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name}: ${value}`]));
}

/** Each early exit and whether it applied, up to the one that did. */
function exitLines(stop: PastStop): readonly string[] {
  const { door } = stop.details ?? stop.line;
  const passed = door === "brepl" ? [] : EARLY_EXITS.map(({ past }) => `  ✓ ${past}`);
  if (hasRun(stop)) return passed;
  const { status, message } = headOf(stop);
  const ending = EARLY_EXITS.findIndex((exit) => exit.status === takenOver(status));
  const exit = EARLY_EXITS[ending];
  if (exit !== undefined) return [...passed.slice(0, ending), `  ■ ${exit.ended}`];
  const ended = `  ■ ${message.replace(/^[✓✗○⚠⏭⏸↺] /u, "")}`;
  return BEFORE_EXITS.includes(status) ? [ended] : [...passed, ended];
}

/** Decided before any of the early exits is asked. */
const BEFORE_EXITS: readonly Status[] = [
  "invalid_input",
  "stop_hook_active",
  "no_config",
  "skipped",
  "not_allowed",
];

function takenOver(status: Status): Status {
  return status === "passed_with_warnings" ? "passed" : status;
}

function hasRun({ line, details }: PastStop): boolean {
  return (details?.run?.outcomes ?? line?.outcomes ?? []).length > 0;
}

/** What the verdict speaks about, by the ledger. */
function judgedLines({ commit, tree, base, rests, worktree }: VerdictRecord): readonly string[] {
  const known = facts([
    ["commit", commit],
    ["files", tree === undefined ? undefined : `git tree ${tree}`],
    ["compared with", base],
    ["rests on", rests?.join(", ")],
    ["work tree", worktree],
  ]);
  return known.length === 0 ? [] : ["", "What was judged", ...known];
}

function recordedRunLines({ run, outcomes = [], left }: VerdictRecord): readonly string[] {
  return [
    ...section(
      `Outcomes${run === undefined ? "" : ` of run ${run}`}`,
      outcomes.map(({ id, kind, ms }) => `${id}: ${kind} (${formatDuration(ms)})`),
    ),
    ...budgetLines(left),
  ];
}

function budgetLines(left: number | undefined): readonly string[] {
  return left === undefined
    ? []
    : ["", `Budget: ${left} more ${left === 1 ? "block" : "blocks"} before we give up`];
}

function runLines(run: RecordedRun): readonly string[] {
  const { files, planned, skipped, outcomes, attemptsLeft } = run;
  return [
    ...section(
      `Changes${run.comparedTo === undefined ? "" : ` compared to ${run.comparedTo}`}`,
      files.map(displayPath),
    ),
    ...section("Gates planned", planned.map(reasoned)),
    ...section("Gates skipped", skipped.map(reasoned)),
    ...section(`Outcomes${run.number === undefined ? "" : ` of run ${run.number}`}`, outcomes.map(reasoned)),
    ...budgetLines(attemptsLeft),
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
