import { type GateOutcome, isBlocking, isOutOfReach, nameOutcome } from "../outcome.ts";
import type { RunResult } from "../run.ts";
import { type Status, type MessageFacts, statusMessage } from "./status.ts";

/** The answer to "may I stop?". */
export type Verdict = Allow | Block;

interface Answer {
  /** One line for people. */
  readonly message: string;
  /** What the user must see even if nothing else is shown: we gave up, we broke, something was not checked. */
  readonly notice?: string;
  /** The notice in full, where it was cut: for `explain`. */
  readonly wholeNotice?: string;
}

export interface Allow extends Answer {
  readonly decision: "allow";
  readonly status: Exclude<Status, "failed">;
  readonly feedback?: undefined;
}

export interface Block extends Answer {
  readonly decision: "block";
  readonly status: "failed";
  /** What the agent must read. */
  readonly feedback: string;
}

export function allow(status: Allow["status"], facts: MessageFacts = {}): Allow {
  return { decision: "allow", status, message: statusMessage(status, facts) };
}

/** What a run means for the stop that asked for it: only `failed` blocks; trouble is never silent. */
export function verdictOf(result: RunResult): Verdict {
  const { message } = result;
  const notice = ownNotice(result);
  const told = { message, ...(notice === undefined ? {} : { notice }) };
  if (result.status !== "failed") return { decision: "allow", status: result.status, ...told };
  return { decision: "block", status: "failed", ...told, feedback: result.feedback ?? message };
}

/** What the user must know about this result. */
function ownNotice(result: RunResult): string | undefined {
  const { status, message } = result;
  if (status === "retry_limit_exceeded") return giveUpNotice(result);
  if (status === "passed_with_warnings" && result.outcomes.some(isReviewWithRemark)) return message;
  if (status === "error") return isJudged(result) ? message : `${message}\nThe stop was not checked.`;
  const held = result.kind === "troubled" && result.trouble.kind === "lock-held" ? result.trouble : undefined;
  const isOtherRun = held !== undefined && (held.heldBy !== "same-stop" || held.isUnrecorded === true);
  return isOtherRun ? `${message}\nThe stop was not checked.` : undefined;
}

/** Every gate has its outcome; what went wrong came after. */
function isJudged({ kind, outcomes }: RunResult): boolean {
  return kind === "ran" && !outcomes.some((one) => one.kind === "errored" || one.kind === "cancelled");
}

/** What a review let through is for the user to decide: skipped and open findings, and that no reviewer was there. */
function isReviewWithRemark(outcome: GateOutcome): boolean {
  return outcome.gate === "review" && (outcome.kind !== "passed" || outcome.warning !== undefined);
}

function giveUpNotice(result: RunResult): string {
  const { message, outcomes } = result;
  if (outcomes.length > 0 && outcomes.filter(isBlocking).every(isOutOfReach)) return message; // names them
  const handoff = result.kind === "ran" ? result.handoff : undefined;
  const red = outcomes.filter(isBlocking).map(nameOutcome);
  return [message, red.join("; "), ...(handoff === undefined ? [] : [handoff])].join("\n");
}

/** A fact for the user, in addition to the answer. Each is shown once per session. */
export interface Notice {
  /** Tells one fact from another. */
  readonly key: string;
  readonly text: string;
  /** It comes before what the verdict says: other lines must not crowd it out. */
  readonly isFirst?: boolean;
}

/** Where more is shown, nothing is read. */
const MAX_LINES = 3;
const MAX_LINE_CHARS = 400;

interface ShownNotice {
  readonly text: string | undefined;
  /** Every line in full, where the text leaves something out: for `explain`. */
  readonly whole?: string;
  readonly told: readonly string[];
}

/** What a stop tells the user: what the verdict itself must say, then facts not yet shown in this session. */
export function noticeOf(
  verdict: string | undefined,
  facts: readonly Notice[],
  told: readonly string[],
): ShownNotice {
  const fresh = facts.filter(({ key }) => !told.includes(key));
  const lines = [
    ...fresh.filter(({ isFirst }) => isFirst).map(({ text }) => oneLine(text)),
    ...(verdict === undefined ? [] : verdict.split("\n")),
    ...fresh.filter(({ isFirst }) => !isFirst).map(({ text }) => oneLine(text)),
  ];
  const whole = lines.filter((line) => line !== "").join("\n");
  const shown = whole === "" ? [] : whole.split("\n").map((line) => line.slice(0, MAX_LINE_CHARS));
  const kept = shown.length <= MAX_LINES ? shown : [...shown.slice(0, MAX_LINES - 1), rest(shown)];
  const text = kept.join("\n");
  return {
    text: text === "" ? undefined : text,
    ...(text === whole ? {} : { whole }),
    told: [...told, ...fresh.map(({ key }) => key)],
  };
}

function rest(lines: readonly string[]): string {
  return `And ${lines.length - MAX_LINES + 1} more: \`agent-gauntlet explain\` shows everything.`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").trim();
}
