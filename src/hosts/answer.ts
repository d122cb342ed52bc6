import type { Verdict } from "../core/verdict.ts";
import type { Host, HostAnswer } from "./host.ts";

/** One line of JSON on stdout and exit code 0: what every host reads. */
export function jsonAnswer(answer: Readonly<Record<string, unknown>>): HostAnswer {
  return { stdout: `${JSON.stringify(answer)}\n`, stderr: "", exitCode: 0 };
}

/** What the agent must read; a block without words would leave it guessing. */
export function blockReason(verdict: Verdict): string {
  return verdict.feedback ?? verdict.message;
}

/** For hosts that drop an answer with a key they do not know: nothing but the decision. */
export function plainAnswer(verdict: Verdict): HostAnswer {
  if (verdict.decision === "allow") return jsonAnswer({});
  return jsonAnswer({ decision: "block", reason: blockReason(verdict) });
}

/** The decision, and `systemMessage` where the person must know something. */
export function noticedAnswer(verdict: Verdict): HostAnswer {
  if (verdict.decision === "allow") return jsonAnswer(noticeOf(verdict));
  return jsonAnswer({ decision: "block", reason: blockReason(verdict), ...noticeOf(verdict) });
}

/** What the person at the keyboard must see, in the field most hosts show. */
export function noticeOf(verdict: Verdict): { readonly systemMessage?: string } {
  return verdict.notice === undefined ? {} : { systemMessage: verdict.notice };
}

/** Tells the hook that it runs in the background, where only exit code 2 and stderr reach the agent. */
export const BACKGROUND_FLAG = "--background";

/** What an agent that has stopped is woken with. A host that runs the hook in the foreground all the same gets its usual answer. */
export function wakingAnswer(usual: HostAnswer, host: Host, verdict: Verdict): HostAnswer {
  const { registration } = host;
  const canWake = registration?.format === "json" && registration.background !== undefined;
  if (!canWake || verdict.decision === "allow") return usual;
  return { stdout: "{}\n", stderr: `${blockReason(verdict)}\n`, exitCode: 2 };
}
