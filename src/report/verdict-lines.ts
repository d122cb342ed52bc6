import { displayPath } from "../core/path.ts";
import type { FlakyTest, VerdictRecord } from "../core/record/verdict-record.ts";
import { ago, formatDuration } from "./plain-lines.ts";
import { counted } from "../core/counted.ts";

/** A verdict as one line for people: when, what, for whom, on what. */
export function verdictLine(record: VerdictRecord): string {
  const { at, status, decision, door, host, session, worktree, commit, ms } = record;
  const who = [host ?? door, session?.slice(0, 8), worktree === undefined ? undefined : `in ${worktree}`];
  const parts = [
    new Date(at).toISOString(),
    `${(decision ?? "").padEnd(5)} ${status.padEnd(21)}`, // only a stop has a decision
    who.filter(Boolean).join(" "),
    commit?.slice(0, 7),
    `${gatesOf(record)}${formatDuration(ms)}`,
    restsOf(record),
  ];
  return displayPath(parts.filter(Boolean).join("  "));
}

/** `Last stop: blocked (failed), 2 minutes ago, by claude-code`. */
export function lastStopLine({ decision, status, at, host, door }: VerdictRecord, now: number): string {
  const answer = decision === "block" ? "blocked" : "allowed";
  return `Last stop: ${answer} (${status}), ${ago(at, now)}, by ${host ?? door}`;
}

/** The most frequent ones, and where the others are. */
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

/** One gate of a verdict as one line. */
export function gateLines({ at, commit, outcomes = [] }: VerdictRecord, gate: string): readonly string[] {
  return outcomes
    .filter(({ id }) => isGate(id, gate))
    .map(({ id, kind, ms, rests }) => {
      const parts = [
        new Date(at).toISOString(),
        kind.padEnd(11),
        id,
        commit?.slice(0, 7),
        formatDuration(ms),
        rests,
      ];
      return displayPath(parts.filter(Boolean).join("  "));
    });
}

/** Whether a gate's id is the one asked for, by id or by name. */
export function isGate(id: string, asked: string): boolean {
  return id === asked || id.endsWith(`:${asked}`);
}

function gatesOf({ outcomes }: VerdictRecord): string {
  if (outcomes === undefined) return "";
  const red = outcomes.filter(({ blocks }) => blocks).length;
  const gates = outcomes.filter(({ id, blocks, warns }) => !id.startsWith("guard:") || blocks || warns);
  return `${counted(gates.length, "gate")}${red === 0 ? "" : `, ${red} red`}, `; // not guards that found nothing
}

function restsOf({ rests }: VerdictRecord): string | undefined {
  return rests === undefined ? undefined : `(rests on ${rests.join(", ")})`;
}
