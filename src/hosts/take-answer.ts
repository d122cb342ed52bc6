import { definedOnly } from "../core/defined-only.ts";
import type { HostAnswer, Payload, Taken } from "./host.ts";
import { isRecord, textOf } from "./payload.ts";

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
