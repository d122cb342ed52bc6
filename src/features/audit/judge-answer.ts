import { isRecord, parseJson } from "../../json.ts";

/** What a hook did when it was asked. */
export interface Said {
  readonly end: "exited" | "killed" | "timed-out";
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Answer {
  readonly blocks: boolean;
  /** What the agent reads. */
  readonly reason: string;
  /** Why the agent stops, in words, where the hook meant something. */
  readonly why?: string;
}

/**
 * As Claude Code 2.1.325 (2026-11-15) reads an answer: exit code 2 blocks with stderr; any other code but 0 does not block; with 0,
 * stdout must be one JSON value and nothing else.
 */
export function judgeAnswer(said: Said, event: string): Answer {
  if (said.end === "timed-out") return lets("it gives no answer in time");
  if (said.end === "killed") return lets("it is killed by a signal");
  if (said.exitCode === 2) return { blocks: true, reason: said.stderr.trim() };
  if (said.exitCode !== 0) return lets(`it exits with ${said.exitCode}, and only 2 blocks`);
  const text = said.stdout.trim();
  if (text === "") return { blocks: false, reason: "" };
  const value = parseJson(text);
  if (!isRecord(value)) return lets(whyNoJson(text));
  return event === "stop" ? followUp(value) : judgeJson(value, event);
}

function judgeJson(value: Readonly<Record<string, unknown>>, event: string): Answer {
  const { decision, reason, hookSpecificOutput: specific } = value;
  if (value["continue"] === false)
    return lets("`continue: false` ends the turn, even with a block beside it");
  const name = isRecord(specific) ? specific["hookEventName"] : undefined;
  if (name !== undefined && name !== event)
    return lets(`its answer is for ${JSON.stringify(name)}, so all of it is discarded`);
  if (decision === "block") return { blocks: true, reason: typeof reason === "string" ? reason : "" };
  if (decision === undefined || decision === "approve") return { blocks: false, reason: "" };
  return lets(`\`decision: ${JSON.stringify(decision)}\` is unknown: only "block" blocks`);
}

function lets(why: string): Answer {
  return { blocks: false, reason: "", why };
}

/** Cursor continues with a message. */
function followUp(value: Readonly<Record<string, unknown>>): Answer {
  const message = value["followup_message"];
  return typeof message === "string" && message !== ""
    ? { blocks: true, reason: message }
    : { blocks: false, reason: "" };
}

const BLOCK = /"decision"\s*:\s*"block"|"followup_message"/;

/** Text alone is no mistake; a block in text that is not JSON is. */
function whyNoJson(text: string): string {
  if (!BLOCK.test(text)) return "it exits with 0, and what it prints is only text";
  const start = text.indexOf("{");
  if (start > 0 && isRecord(parseJson(text.slice(start))))
    return "output before the JSON makes the answer plain text";
  const escaped = text
    .slice(Math.max(start, 0))
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\t", String.raw`\t`);
  const inner = text.slice(Math.max(start, 0)).replaceAll(/(?<=")\s*\n\s*(?=")|(?<=[{,])\s*\n\s*/g, " ");
  if (
    isRecord(parseJson(escaped)) ||
    isRecord(parseJson(inner.replaceAll("\n", String.raw`\n`).replaceAll("\t", String.raw`\t`)))
  )
    return "raw line breaks in its JSON make the answer plain text";
  if (start >= 0 && text.lastIndexOf("}") < text.length - 1)
    return "output after the JSON makes the answer plain text";
  return start > 0
    ? "output before the JSON makes the answer plain text, and the JSON is not valid"
    : "its JSON is not valid: quotes, backslashes or line breaks of the output are not escaped";
}
