import { type GateOutcome, isCounted } from "../core/outcome.ts";
import { formatDuration, type LabelOf } from "./plain-lines.ts";

export interface SummaryFacts {
  /** What gates usually take, by id, in milliseconds. */
  readonly usual: ReadonlyMap<string, number>;
  /** The whole run, where that is known. */
  readonly tookMs?: number | undefined;
  readonly labelOf: LabelOf;
}

/** `3 passed · 1 failed · 2 reused (saved 41.0 s) · 12.4 s (3.1 s of it to compare with main) · slowest: test 11.9 s`. */
export function runSummary(all: readonly GateOutcome[], facts: SummaryFacts): string | undefined {
  const outcomes = all.filter(isCounted);
  if (outcomes.length === 0) return undefined;
  const counts = WORDS.map((word) => [word, outcomes.filter((one) => wordOf(one) === word)] as const);
  const parts = counts.flatMap(([word, those]) =>
    those.length === 0 ? [] : [`${those.length} ${word}${word === "reused" ? saved(those, facts) : ""}`],
  );
  const took = facts.tookMs === undefined ? [] : [`${formatDuration(facts.tookMs)}${compared(outcomes)}`];
  return [...parts, ...took, ...slowest(outcomes, facts)].join(" · ");
}

/** In the order they are shown: what was judged first, what rests on something else, what was not judged. */
const WORDS = [
  "passed",
  "failed",
  "timed out",
  "with a warning",
  "flaky",
  "with old problems only",
  "reused",
  "could not run",
  "unavailable",
  "cancelled",
  "skipped",
] as const;

function wordOf(outcome: GateOutcome): (typeof WORDS)[number] {
  switch (outcome.kind) {
    case "passed":
      if (outcome.reused !== undefined) return "reused";
      if (outcome.rests !== undefined) return outcome.rests === "rerun" ? "flaky" : "with old problems only";
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

/** Of a single gate, or of gates that took no time, it says nothing new. */
function slowest(outcomes: readonly GateOutcome[], { labelOf }: SummaryFacts): readonly string[] {
  const ran = outcomes.filter(({ durationMs }) => durationMs >= 1000);
  const [first] = ran.toSorted((one, other) => other.durationMs - one.durationMs);
  if (first === undefined || outcomes.length === 1) return [];
  return [`slowest: ${labelOf(first.id)} ${formatDuration(first.durationMs)}`];
}
