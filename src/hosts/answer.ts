import type { Verdict } from "../core/stop/verdict.ts";
import type { Host, HostAnswer, Payload, Taken } from "./host.ts";
import { definedOnly } from "../core/defined-only.ts";
import { isRecord, textOf } from "./payload.ts";

/** One line of JSON on stdout and exit code 0: what every host reads. */
export function jsonAnswer(answer: Readonly<Record<string, unknown>>): HostAnswer {
  return { stdout: `${JSON.stringify(answer)}\n`, stderr: "", exitCode: 0 };
}

/** For hosts that drop an answer with a key they do not know: nothing but the decision. */
export function plainAnswer(verdict: Verdict): HostAnswer {
  if (verdict.decision === "allow") return jsonAnswer({});
  return jsonAnswer({ decision: "block", reason: verdict.feedback });
}

/** The decision, and `systemMessage` where the user must know something. */
export function noticedAnswer(verdict: Verdict): HostAnswer {
  if (verdict.decision === "allow") return jsonAnswer(systemMessageOf(verdict));
  return jsonAnswer({ decision: "block", reason: verdict.feedback, ...systemMessageOf(verdict) });
}

/** What the user must see, in the field most hosts show. */
export function systemMessageOf(verdict: Verdict): { readonly systemMessage?: string } {
  return verdict.notice === undefined ? {} : { systemMessage: verdict.notice };
}

/** Tells the hook that it runs in the background, where only exit code 2 and stderr reach the agent. */
export const BACKGROUND_FLAG = "--background";

/** Tells the hook that it serves every project, so that it runs only what the user allowed. */
export const ONLY_ALLOWED_FLAG = "--only-allowed";

/** What an agent that has stopped is woken with. A host that runs the hook in the foreground all the same gets its usual answer. */
export function wakingAnswer(usual: HostAnswer, host: Host, verdict: Verdict): HostAnswer {
  const { registration } = host;
  const canWake = registration?.format === "json" && registration.background !== undefined;
  if (!canWake || verdict.decision === "allow") return usual;
  return { stdout: "{}\n", stderr: `${verdict.feedback}\n`, exitCode: 2 };
}

/** How a host that copied Claude Code's protocol reads answers, where hosts differ. */
export interface Reading {
  /** Blocks on exit code 2, with stderr as the reason. */
  readonly exitCode2Blocks: boolean;
  /** The only keys it accepts; one more and it drops the answer. */
  readonly onlyKeys?: readonly string[];
  /** How the reason looks to the model. */
  readonly wrap?: (reason: string) => string;
}

/** Reads an answer as such a host does: exactly one line of JSON, or the stderr of exit code 2. */
export function takeDecision(answer: HostAnswer, reading: Reading): Taken {
  const wrap = reading.wrap ?? ((reason) => reason);
  if (answer.exitCode === 2 && reading.exitCode2Blocks)
    return { agent: "goes-on", agentReads: wrap(answer.stderr.trimEnd()) };
  const json = answeredJson(answer);
  if (json === undefined) return { agent: "stops", problem: "the answer is not one line of JSON" };
  const unknown = Object.keys(json).find((key) => reading.onlyKeys?.includes(key) === false);
  if (unknown !== undefined)
    return { agent: "stops", problem: `it does not know "${unknown}" and drops the answer` };
  const told = definedOnly({ personSees: textOf(json, "systemMessage") });
  const reason = textOf(json, "reason");
  if (json["continue"] === false)
    return { agent: "stops", problem: "`continue: false` ends the turn", ...told };
  if (json["decision"] !== "block") return { agent: "stops", ...told };
  if (reason === undefined) return { agent: "stops", problem: "a block needs a reason", ...told };
  return { agent: "goes-on", agentReads: wrap(reason), ...told };
}

/** The object on stdout, where the host exited well and printed one line. */
export function answeredJson({ stdout, exitCode }: HostAnswer): Payload | undefined {
  if (exitCode !== 0 || !/^[^\n]*\n?$/.test(stdout)) return undefined;
  try {
    const value: unknown = JSON.parse(stdout);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
