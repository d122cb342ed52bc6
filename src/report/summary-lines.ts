import { type GateOutcome, isCounted, isBlocking } from "../gates/outcome.ts";
import type { LabelOf } from "./plain-lines.ts";
import type { FlakyTest, VerdictRecord } from "../ledger/verdict-record.ts";
import { ago, counted, formatDuration } from "../words.ts";
import type { PastRun } from "../stop/passes.ts";

export interface SummaryFacts {
  readonly usual: ReadonlyMap<string, number>;
  readonly tookMs?: number | undefined;
  readonly labelOf: LabelOf;
}

/** `1 failed · 3 passed · 2 reused (saved 41.0 s) · 12.4 s (3.1 s of it to compare with main) · slowest: test 11.9 s`. */
export function runSummary(all: readonly GateOutcome[], facts: SummaryFacts): string | undefined {
  const outcomes = all.filter(isCounted);
  if (outcomes.length === 0) return undefined;
  const counts = WORDS.map((word) => [word, outcomes.filter((one) => wordOf(one) === word)] as const);
  const parts = counts.flatMap(([word, those]) =>
    those.length === 0 ? [] : [`${those.length} ${word}${word === "reused" ? saved(those, facts) : ""}`],
  );
  const took =
    facts.tookMs === undefined ? [] : [`${formatDuration(facts.tookMs)}${compared(outcomes)}${guarded(all)}`];
  return [...parts, ...took, ...slowest(outcomes, facts)].join(" · ");
}

/** In the order they are shown: the worst first, what passed, what was not judged. */
const WORDS = [
  "failed",
  "timed out",
  "passed",
  "with a warning",
  "flaky",
  "with old problems only",
  "not proof (on a worker)",
  "reused",
  "could not run",
  "unavailable",
  "cancelled",
  "skipped",
] as const;

const REST_WORDS = {
  rerun: "flaky",
  baseline: "with old problems only",
  worker: "not proof (on a worker)",
} as const;

function wordOf(outcome: GateOutcome): (typeof WORDS)[number] {
  switch (outcome.kind) {
    case "passed":
      if (outcome.reused !== undefined) return "reused";
      if (outcome.rests !== undefined) return REST_WORDS[outcome.rests];
      return outcome.warning === undefined ? "passed" : "with a warning";
    case "failed":
      return outcome.warnOnly ? "with a warning" : "failed";
    case "timed-out":
      return outcome.warnOnly ? "with a warning" : "timed out";
    case "errored":
      return "could not run";
    case "unavailable":
    case "cancelled":
    case "skipped":
      return outcome.kind;
  }
}

function saved(reused: readonly GateOutcome[], { usual }: SummaryFacts): string {
  const ms = reused.reduce((sum, { id }) => sum + (usual.get(id) ?? 0), 0);
  return ms < 1000 ? "" : ` (saved ${formatDuration(ms)})`;
}

/** What belongs to no gate's own time; gates that are compared at the same time share the earlier files. */
function compared(outcomes: readonly GateOutcome[]): string {
  const all = outcomes.flatMap(({ baseline }) => baseline ?? []);
  const [longest] = all.toSorted((one, other) => (other.tookMs ?? 0) - (one.tookMs ?? 0));
  if (longest?.tookMs === undefined || longest.tookMs < 1000) return "";
  const withWhat = longest.kind === "compared" ? longest.with : "the earlier files";
  return ` (${formatDuration(longest.tookMs)} of it to compare with ${withWhat})`;
}

/** Those that run checks again do so after the gates, side by side. */
function guarded(all: readonly GateOutcome[]): string {
  const trials = all.filter(({ id }) => TRIALS.has(id));
  const longest = Math.max(0, ...trials.map(({ durationMs }) => durationMs));
  return longest < 1000 ? "" : ` (${formatDuration(longest)} of it for guards)`;
}

const TRIALS = new Set(["guard:.:original-tests", "guard:.:unproven-tests"]);

/** Of a few gates, which are on the screen, it says nothing new. */
function slowest(outcomes: readonly GateOutcome[], { labelOf }: SummaryFacts): readonly string[] {
  const ran = outcomes.filter(({ durationMs }) => durationMs >= 1000);
  const [first] = ran.toSorted((one, other) => other.durationMs - one.durationMs);
  if (first === undefined || outcomes.length < ENOUGH_FOR_SLOWEST) return [];
  return [`slowest: ${labelOf(first.id)} ${formatDuration(first.durationMs)}`];
}

const ENOUGH_FOR_SLOWEST = 5;

/** `Last stop: blocked (failed), 2 minutes ago, by claude-code`. */
export function lastStopLine({ decision, status, at, host, door }: VerdictRecord, now: number): string {
  const answer = decision === "block" ? "blocked" : "allowed";
  return `Last stop: ${answer} (${status}), ${ago(at, now)}, by ${host ?? door}`;
}

export function flakyLines(flaky: readonly FlakyTest[]): readonly string[] {
  const shown = flaky.slice(0, MOST_FLAKY).map(flakyLine);
  const more = flaky.length - shown.length;
  return more === 0
    ? shown
    : [...shown, `And ${more} more flaky: \`agent-gauntlet log --flaky\` lists them.`];
}

const MOST_FLAKY = 5;

/** `Flaky: src/a.test.ts > adds (check:.:test), 3 times from 2026-11-02 to 2026-11-15`. */
export function flakyLine({ gate, test, times, firstAt, lastAt }: FlakyTest): string {
  const [first, last] = [firstAt, lastAt].map((at) => new Date(at).toISOString().slice(0, 10));
  const when = first === last ? `on ${last}` : `from ${first} to ${last}`;
  const what = test === "" ? gate : `${test} (${gate})`;
  return `Flaky: ${what}, ${counted(times, "time")} ${when}`;
}

export interface ShortFacts {
  readonly now: number;
  readonly runningSince?: number | undefined;
  readonly runningGates?: readonly string[];
  readonly isRunningAhead?: boolean;
  readonly lastRun?: PastRun | undefined;
  readonly attemptsLeft?: number | undefined;
}

const MOST_NAMES = 3;

/** `✓ gates 2 m ago`, `✗ test, lint (2 left)`, `… test 12 s`, `ahead: test 12 s`: for a status line, so never more than one. */
export function shortStatus(facts: ShortFacts): string {
  const { now, runningSince, runningGates = [], isRunningAhead, lastRun, attemptsLeft } = facts;
  if (runningSince !== undefined)
    return `${isRunningAhead ? "ahead:" : "…"} ${fewNames(runningGates) || "gates"} ${briefly(now - runningSince)}`;
  if (lastRun === undefined) return "○ gates have not run";
  const red = [...new Set(lastRun.outcomes.filter(isBlocking).map(({ name }) => name))];
  if (red.length === 0) return `${markOf(lastRun)} gates ${briefly(now - lastRun.completedAt)} ago`;
  const left = attemptsLeft === undefined ? "" : ` (${attemptsLeft} left)`;
  return `✗ ${fewNames(red)}${left}`;
}

/** Names may hold anything; a status line is one line. */
function fewNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` +${names.length - MOST_NAMES}` : "";
  return `${names.slice(0, MOST_NAMES).join(", ")}${more}`.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ");
}

function markOf({ status }: PastRun): string {
  if (status === "passed") return "✓";
  return status === "passed_with_warnings" ? "!" : "✗";
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** `12 s`, `2 m`, `3 h`; a time that lies ahead is the fault of a clock, and counts as now. */
function briefly(ms: number): string {
  const [letter, length] = UNITS.find(([, unit]) => ms >= unit) ?? ["s", 1000];
  return `${Math.max(0, Math.floor(ms / length))} ${letter}`;
}
