import { elapsedMs } from "../../machine/clock.ts";
import type { Finding } from "../../core/finding.ts";
import { concludeRound, type ReviewAnswer, type RoundResult } from "../../core/review-round.ts";
import type { CappedLog } from "../../machine/logs/capped-log.ts";
import { findReviewer } from "../reviewers/reviewer-table.ts";
import { type Asked, askReviewer } from "./ask-reviewer.ts";
import type { ReviewMaterial } from "./review-material.ts";
import type { ReviewRun } from "./review-run.ts";

/** One round of one slot, about to be asked. */
export interface Round {
  readonly number: number;
  readonly earlier: readonly Finding[];
  readonly confirmed: readonly string[];
  readonly minPriority: Finding["priority"];
  readonly startsOver: boolean;
  readonly material: ReviewMaterial;
}

/** What came of asking around. */
type AskedInTurn =
  | { readonly kind: "answered"; readonly reviewer: string; readonly result: RoundResult }
  | { readonly kind: "unavailable"; readonly detail: string }
  | { readonly kind: "cancelled" };

/** A round with its prompt, put to one reviewer after another. */
interface Asking {
  readonly slot: number;
  readonly round: Round;
  readonly log: CappedLog;
  readonly prompt: string;
}

/** Asks the preferred reviewer, then the next, until one answers. Each slot begins with another one. */
export async function askInTurn(run: ReviewRun, asking: Asking, signal: AbortSignal): Promise<AskedInTurn> {
  const { planned } = run;
  const troubles: string[] = [];
  for (const name of rotated(planned.gate.cliPreference, asking.slot - 1)) {
    const asked = await askByName(run, { ...asking, name }, signal);
    if (asked.kind === "cancelled") return asked;
    if (asked.kind === "answered")
      return { kind: "answered", reviewer: name, result: fold(run, asking, asked.answer) };
    troubles.push(`${name} ${asked.trouble.detail}`);
    tell(run, asking, `${name} ${asked.trouble.detail}`);
  }
  return { kind: "unavailable", detail: troubles.join("; ") || "no reviewer is configured" };
}

async function askByName(
  run: ReviewRun,
  { name, slot, round, log, prompt }: Asking & { name: string },
  signal: AbortSignal,
): Promise<Asked> {
  const { planned, context } = run;
  const reviewer = findReviewer(name);
  if (reviewer === undefined)
    return { kind: "trouble", trouble: { kind: "missing", detail: "is not a reviewer we know" } };
  const { numReviews, maxRounds, model, timeoutMs } = planned.gate;
  const which = `slot ${slot} of ${numReviews}, round ${round.number} of ${maxRounds}`;
  tell(run, { log }, `${name} reviews: ${which}, ${prompt.length} characters`);
  const started = elapsedMs();
  const asked = await askReviewer(reviewer, { prompt, model, timeoutMs, context, log }, signal);
  const took = `${((elapsedMs() - started) / 1000).toFixed(1)} s`;
  if (asked.kind === "answered")
    tell(run, { log }, `${name} answered after ${took}: ${summary(asked.answer)}`);
  return asked;
}

function fold(run: ReviewRun, { round, log }: Asking, answer: ReviewAnswer): RoundResult {
  const { isInside } = round.material;
  const result = concludeRound(answer, { ...round, isInside });
  const { outside, minor, malformed } = result.dropped;
  const dropped = [
    ...(outside === 0 ? [] : [`${outside} outside of what was asked about`]),
    ...(minor === 0 ? [] : [`${minor} below ${round.minPriority}`]),
    ...(malformed === 0 ? [] : [`${malformed} not in the agreed form`]),
  ];
  if (dropped.length > 0) tell(run, { log }, `dropped findings: ${dropped.join(", ")}`);
  return result;
}

function summary({ findings, verified }: ReviewAnswer): string {
  const fixed = verified.filter((one) => one.fixed).length;
  const checked = verified.length === 0 ? "" : `, ${fixed} of ${verified.length} fixes confirmed`;
  return `${findings.length} ${findings.length === 1 ? "finding" : "findings"}${checked}`;
}

/** To whoever watches, and into the log. */
function tell({ planned, facts }: ReviewRun, { log }: Pick<Asking, "log">, text: string): void {
  facts.onProgress(planned, text);
  log.write(Buffer.from(`\n[gauntlet] ${text}\n`));
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
