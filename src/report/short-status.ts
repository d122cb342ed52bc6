import type { PastRun } from "../core/record/history.ts";
import { isBlocking } from "../core/outcome.ts";

export interface ShortFacts {
  readonly now: number;
  /** When the run that is in progress began. */
  readonly runningSince?: number | undefined;
  /** The gates that run now, by name. */
  readonly runningGates?: readonly string[];
  readonly lastRun?: PastRun | undefined;
  readonly attemptsLeft?: number | undefined;
}

const MOST_NAMES = 3;

/** `✓ gates 2 m ago`, `✗ test, lint (2 left)`, `… test 12 s`: for a status line, so never more than one. */
export function shortStatus(facts: ShortFacts): string {
  const { now, runningSince, runningGates = [], lastRun, attemptsLeft } = facts;
  if (runningSince !== undefined)
    return `… ${fewNames(runningGates) || "gates"} ${briefly(now - runningSince)}`;
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
