import { EARLY_EXITS } from "../stop/early-exits.ts";
import type { Reasoned, RecordedRun } from "../run/result.ts";
import { displayPath } from "../path.ts";
import type { PastStop, StopRecord } from "../stop/session.ts";
import { type Status, statusMessage } from "../stop/status.ts";
import type { VerdictRecord } from "../ledger/verdict-record.ts";
import { ago, counted, cutAtWord, formatDuration } from "../words.ts";

/** What is known about a stop beside its own record. */
export interface ExplainFacts {
  readonly now: number;
  readonly maxRetries?: number;
  /** What failed, one line for each problem. */
  readonly problems?: readonly string[];
  /** Also what was asked before any gate, the files, the plan and what the host got. */
  readonly isVerbose?: boolean;
}

/** Why a stop was blocked, allowed or deferred, what the agent and the user were told, and how to get on. */
export function explainStop(stop: PastStop, facts: ExplainFacts): string {
  const { problems = [], isVerbose } = facts;
  const { decision, status, message } = headOf(stop);
  const answer = decision === "block" ? "Blocked" : "Allowed";
  const said = message.replace(/^[✓✗○⚠⏭⏸↺] /u, "");
  return [
    `${answer} (${status}): ${cutAtWord(said, MOST_OF_HEAD)}${attemptIn(stop, facts)}`,
    whoseStop(stop, facts.now),
    ...(problems.length === 0 ? [] : ["", ...problems]),
    ...toldLines(stop),
    ...(isVerbose ? verboseLines(stop) : ["", ...howToGetOn(status)]),
    "",
  ].join("\n");
}

/** The rest of a longer message is in what was told, or in the raw answer. */
const MOST_OF_HEAD = 240;

/** `claude-code, session 5c1f0a3e, 2 minutes ago`. */
function whoseStop(stop: PastStop, now: number): string {
  const { at, host } = headOf(stop);
  const session = stop.line?.session ?? stop.details?.event.sessionId;
  const parts = [
    host,
    session === undefined ? undefined : `session ${session.slice(0, 8)}`,
    stop.line === undefined ? `in ${stop.details.event.cwd}` : undefined,
    ago(at, now),
  ];
  return parts.filter(Boolean).join(", ");
}

function toldLines({ details }: PastStop): readonly string[] {
  const { feedback, notice, wholeNotice } = details?.verdict ?? {};
  const user = wholeNotice ?? notice;
  return [
    ...(feedback === undefined ? [] : ["", "What the agent was told", ...indented(feedback)]),
    ...(user === undefined ? [] : ["", "What you were told", ...indented(user)]),
  ];
}

function attemptIn({ line, details }: PastStop, { maxRetries }: ExplainFacts): string {
  const left = line?.left ?? details?.run?.attemptsLeft;
  if (left === undefined) return "";
  if (maxRetries === undefined || left >= maxRetries) return ` ${counted(left, "more block")} may follow.`;
  return ` Attempt ${maxRetries - left} of ${maxRetries}.`;
}

/** What to type or to change, by what was answered. */
const NEXT: Partial<Readonly<Record<Status, string>>> = {
  failed:
    "The agent fixes this and stops again. To run the failed gates yourself: `agent-gauntlet run --failed`.",
  retry_limit_exceeded:
    "To see what still fails: `agent-gauntlet run --failed`. A longer limit: `max_retries`.",
  stop_hook_active: "To check the stop after a block, too: `stop_hook: { when_active: enforce }`.",
  interval_not_elapsed:
    "To check every stop: `stop_hook: { run_interval_minutes: 0 }`. To check now: `agent-gauntlet run`.",
  lock_conflict: "To have a stop wait for the other run: `stop_hook: { when_busy: wait }`.",
  deferred: "The stop is checked once the agent is done. To check now: `agent-gauntlet run`.",
  stop_hook_disabled: "To see which setting it is: `agent-gauntlet config`.",
  not_allowed: "To allow this project's gates: `agent-gauntlet allow`.",
  no_config: "To set this project up: `agent-gauntlet init`.",
  invalid_input: "To check the hook: `agent-gauntlet doctor`.",
  error: "To check the configuration: `agent-gauntlet validate`. To check the hook: `agent-gauntlet doctor`.",
};

function howToGetOn(status: Status): readonly string[] {
  const next = NEXT[status];
  return [
    ...(next === undefined ? [] : [next]),
    "Every condition, the plan and the raw answer: `agent-gauntlet explain --verbose`.",
  ];
}

/** Everything that was asked and decided, in order. */
function verboseLines(stop: PastStop): readonly string[] {
  const { line, details } = stop;
  const { run, answer } = details ?? {};
  return [
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
  ];
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
  const ended = `  ■ ${message.replace(/^[✓✗○⚠⏭⏸↺] /u, "")}`;
  if (ending >= 0) return [...passed.slice(0, ending), ended];
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
