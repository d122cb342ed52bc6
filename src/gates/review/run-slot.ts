import { join } from "node:path";
import type { Finding } from "./finding.ts";
import {
  openFindings,
  type ReviewSlot,
  type AskingStep,
  type SlotStep,
  skippedFindings,
  concludeRound,
  type ReviewAnswer,
  type RoundResult,
} from "./slot.ts";
import { explain } from "../../trouble.ts";
import { CappedLog } from "../../system/logs/capped-log.ts";
import { writeSlot } from "./slot-store.ts";
import { takeGateLog } from "../../system/logs/log-dir.ts";
import {
  type ReviewRun,
  changeSince,
  wholeChange,
  type ReviewMaterial,
  type LoadedSlot,
} from "./review-run.ts";
import { assemblePrompt } from "./review-protocol.ts";
import { elapsedMs } from "../../system/clock.ts";
import { findReviewer } from "./reviewers.ts";
import { type Asked, askReviewer } from "./ask-reviewer.ts";

export type SlotResult =
  | {
      readonly kind: "answered";
      readonly step: SlotStep["kind"];
      readonly slot: ReviewSlot;
      readonly changed: boolean;
      readonly remark?: string;
      readonly logName?: string;
    }
  | { readonly kind: "unavailable"; readonly slot: number; readonly detail: string; readonly logName: string }
  | { readonly kind: "cancelled"; readonly slot: number };

export async function runSlot(run: ReviewRun, loaded: LoadedSlot, signal: AbortSignal): Promise<SlotResult> {
  const { step, facts } = loaded;
  if (step.kind === "find" || step.kind === "verify")
    return askRound(run, loaded, await roundFor(run, step), signal);
  writeSlot(loaded.files, step.slot);
  const remark = loaded.isSheetBroken ? BROKEN_SHEET : undefined;
  return { kind: "answered", step: step.kind, slot: step.slot, changed: facts.changed, remark };
}

const BROKEN_SHEET = "the answers were not valid JSON and could not be read; the file has been rewritten";

async function roundFor(run: ReviewRun, step: AskingStep): Promise<Round> {
  if (step.kind === "find") {
    const material = await wholeChange(run);
    const earlier = step.carried.filter(material.isInside);
    const { minPriority } = run.planned.gate;
    return { number: 1, earlier, confirmed: [], minPriority, startsOver: true, material };
  }
  const material = await changeSince(run, step.slot);
  const { round, findings: earlier, confirmed } = step.slot;
  const minPriority = run.facts.rerunNewIssueThreshold;
  return { number: round + 1, earlier, confirmed, minPriority, startsOver: false, material };
}

async function askRound(
  run: ReviewRun,
  loaded: LoadedSlot,
  round: Round,
  signal: AbortSignal,
): Promise<SlotResult> {
  const { planned, context } = run;
  const logDir = join(context.root, context.logDir);
  const taken = takeGateLog(logDir, `${planned.id}:slot-${loaded.number}`, context.runNumber);
  const logName = taken.name;
  const log = new CappedLog(join(logDir, logName), taken);
  const asked = await askInTurn(
    run,
    { slot: loaded.number, round, log, prompt: promptOf(run, round) },
    signal,
  );
  log.close();
  if (asked.kind === "cancelled") return { kind: "cancelled", slot: loaded.number };
  if (asked.kind === "unavailable") return { ...asked, slot: loaded.number, logName };
  const { findings, confirmed } = asked.result;
  const slot: ReviewSlot = {
    gate: planned.id,
    slot: loaded.number,
    round: round.number,
    reviewer: asked.reviewer,
    tree: run.tree,
    findings,
    confirmed,
  };
  const written = writeSlot(loaded.files, slot);
  const remark = written.ok ? undefined : explain(written.trouble);
  return { kind: "answered", step: loaded.step.kind, slot, changed: true, logName, remark };
}

function promptOf({ planned, facts }: ReviewRun, round: Round): string {
  const { earlier, confirmed, material, minPriority } = round;
  const record = { ...EMPTY_SLOT, findings: earlier, confirmed };
  return assemblePrompt({
    instructions: planned.gate.prompt,
    scope: planned.scope,
    comparedTo: facts.changes.comparedTo,
    files: planned.files,
    diff: material.diff,
    since: material.since,
    toVerify: openFindings(record),
    skipped: skippedFindings(record),
    minPriority,
  });
}

const EMPTY_SLOT = { gate: "", slot: 1, round: 1, reviewer: "", tree: null, findings: [], confirmed: [] };

interface Round {
  readonly number: number;
  readonly earlier: readonly Finding[];
  readonly confirmed: readonly string[];
  readonly minPriority: Finding["priority"];
  readonly startsOver: boolean;
  readonly material: ReviewMaterial;
}

type AskedInTurn =
  | { readonly kind: "answered"; readonly reviewer: string; readonly result: RoundResult }
  | { readonly kind: "unavailable"; readonly detail: string }
  | { readonly kind: "cancelled" };

interface Asking {
  readonly slot: number;
  readonly round: Round;
  readonly log: CappedLog;
  readonly prompt: string;
}

/** One reviewer after another, until one answers. Each slot begins with another one. */
async function askInTurn(run: ReviewRun, asking: Asking, signal: AbortSignal): Promise<AskedInTurn> {
  const { planned } = run;
  const troubles: string[] = [];
  for (const name of rotated(planned.gate.cliPreference, asking.slot - 1)) {
    const asked = await askByName(run, { ...asking, name }, signal);
    if (asked.kind === "cancelled") return asked;
    if (asked.kind === "answered")
      return { kind: "answered", reviewer: name, result: fold(run, asking, asked.answer) };
    troubles.push(`${name} ${asked.trouble.detail}`);
    tell(run, asking.log, `${name} ${asked.trouble.detail}`);
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
  const { numReviews, maxRounds, model, timeoutMs, adapters } = planned.gate;
  const own = adapters?.[name] ?? { mayUseTools: true };
  const settings = { ...own, model: model ?? own.model };
  const which = `slot ${slot} of ${numReviews}, round ${round.number} of ${maxRounds}`;
  tell(run, log, `${name} reviews: ${which}, ${prompt.length} characters`);
  const started = elapsedMs();
  const asked = await askReviewer(reviewer, { prompt, settings, timeoutMs, context, log }, signal);
  const took = `${((elapsedMs() - started) / 1000).toFixed(1)} s`;
  if (asked.kind === "answered") tell(run, log, `${name} answered after ${took}: ${summary(asked.answer)}`);
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
  if (dropped.length > 0) tell(run, log, `dropped findings: ${dropped.join(", ")}`);
  return result;
}

function summary({ findings, verified }: ReviewAnswer): string {
  const fixed = verified.filter((one) => one.fixed).length;
  const checked = verified.length === 0 ? "" : `, ${fixed} of ${verified.length} fixes confirmed`;
  return `${findings.length} ${findings.length === 1 ? "finding" : "findings"}${checked}`;
}

function tell({ planned, facts }: ReviewRun, log: CappedLog, text: string): void {
  facts.onProgress(planned, text);
  log.write(Buffer.from(`\n[gauntlet] ${text}\n`));
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
