import type { RunResult } from "../run/result.ts";
import { type MessageFacts, type Status, statusMessage } from "./status.ts";

/** The answer to "may I stop?". */
export type Verdict = Allow | Block;

interface Answer {
  /** One line for people. */
  readonly message: string;
  /** What the user must see even if nothing else is shown: we gave up, we broke, something was not checked. */
  readonly notice?: string;
  /** The notice in full, if it was cut: for `explain`. */
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

/** What a run means for the stop that asked for it: only `failed` blocks. */
export function verdictOf(result: RunResult): Verdict {
  const { message } = result;
  if (result.status !== "failed") return { decision: "allow", status: result.status, message };
  return { decision: "block", status: "failed", message, feedback: result.feedback ?? message };
}
