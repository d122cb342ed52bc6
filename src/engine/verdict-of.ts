import { describeOutcome, type GateOutcome, isBlocking } from "../core/outcome.ts";
import type { Status } from "../core/status.ts";
import { type MessageFacts, statusMessage } from "../core/status-message.ts";
import type { StopEvent } from "../core/stop-event.ts";
import type { Verdict } from "../core/verdict.ts";
import { sessionKey } from "../machine/session-key.ts";
import type { RunResult } from "./run-request.ts";

export function allow(status: Status, facts: MessageFacts = {}): Verdict {
  return { decision: "allow", status, message: statusMessage(status, facts) };
}

/** What a run means for the stop that asked for it: only `failed` blocks; trouble is never silent. */
export function verdictOf(result: RunResult, asked: { event: StopEvent; root: string }): Verdict {
  const { status, message, feedback } = result;
  const notices = [noticeOf(result, asked), ...(result.warnings ?? [])].filter((one) => one !== undefined);
  const told = { status, message, ...(notices.length === 0 ? {} : { notice: notices.join("\n") }) };
  if (status !== "failed") return { decision: "allow", ...told };
  return { decision: "block", ...told, feedback: feedback ?? "Gauntlet gates did not pass." };
}

/** What the person must know about this status. */
function noticeOf(result: RunResult, asked: { event: StopEvent; root: string }): string | undefined {
  const { status, message, trouble } = result;
  if (status === "retry_limit_exceeded") return giveUpNotice(result);
  if (status === "passed_with_warnings" && result.outcomes.some(isReviewWithRemark)) return message;
  if (status === "error") return `${message}\nThe stop was not checked.`;
  const isOtherSession =
    trouble?.kind === "lock-held" && trouble.sessionId !== sessionKey(asked.event, asked.root);
  return isOtherSession ? `${message}\nThe stop was not checked.` : undefined;
}

/** What a review let through is for the person to decide: skipped and open findings, and that nobody could review. */
function isReviewWithRemark(outcome: GateOutcome): boolean {
  return outcome.gate === "review" && (outcome.kind !== "passed" || outcome.warning !== undefined);
}

function giveUpNotice({ message, outcomes, handoff }: RunResult): string {
  const red = outcomes.filter(isBlocking).map((outcome) => `- ${outcome.name} ${describeOutcome(outcome)}`);
  return [message, ...red, ...(handoff === undefined ? [] : ["", handoff])].join("\n");
}
