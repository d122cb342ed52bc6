import { cutText } from "./text/cut-text.ts";

/** One failure a tool named, with its place where the tool gave one. The same object feeds the agent, the terminal and every report. */
export interface Problem {
  /** Project-relative with `/`, or as the tool printed it when it lies outside the project. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
  readonly severity: Severity;
  /** The tool's own name for the rule: `TS2322`, `no-unused-vars`, `E0308`. */
  readonly code?: string;
  /** The failing test, as its runner names it. */
  readonly test?: string;
  /** One line. */
  readonly message: string;
  /** What helps to understand it: an assertion's difference, the marked source, the project's own stack frames. */
  readonly excerpt?: string;
}

export type Severity = "error" | "warning";

/** The same problem keeps its fingerprint when lines above it come or go, and between machines. */
export function fingerprint(problem: Problem): string {
  const { file = "", code = "", test = "", severity, message } = problem;
  return hash([file, code, test, severity, withoutNoise(message)].join("\u0000"));
}

/** Failures of one kind have one cause: the same rule, or the same message but for names and numbers. */
export function kindOf({ severity, code, test, message }: Problem): string {
  const words = message
    .replace(/(["'`<]).*?["'`>]/g, "$1")
    .replace(/\(at [^()]+\)$/, "")
    .replace(/-?\b0?x?\d[\w.]*/g, "0");
  return [severity, code ?? "", test === undefined ? "" : "test", words.slice(0, 80)].join("\u0000");
}

/** Line numbers, addresses, times and temporary names change from run to run; assertion values do not. */
export function withoutNoise(message: string): string {
  return message
    .replace(/0x[0-9a-f]+/gi, "0x")
    .replace(/\b\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, "<time>")
    .replace(/\b[\d.]+ ?(?:ms|s|sec|secs|seconds|minutes|µs|ns)\b/g, "<duration>")
    .replace(/\b(?:line|lines|Ln|column|Col) \d+/gi, "<line>")
    .replace(/:\d+(?::\d+)?\b/g, ":<line>")
    .replace(/\/(?:tmp|var\/folders)\/[^\s'")]+/g, "<temp>")
    .replace(/\s+/g, " ")
    .trim();
}

/** cyrb53: 53 bits, enough to tell apart the problems of one project. */
function hash(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  const mixedHigh = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  const mixedLow = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & mixedLow) + (mixedHigh >>> 0)).toString(16).padStart(14, "0");
}

/** `file:line:column severity code: message`, the form agents, editors and terminals understand. */
export function problemLine(problem: Problem, maxMessageChars: number): string {
  const { test, severity, code, message } = problem;
  const what = code === undefined ? severity : `${severity} ${code}`;
  const name = test === undefined ? what : `failed: ${cutText(test, LONGEST_NAME)}`;
  const said = cutText(message, maxMessageChars);
  const label = said === "" ? name : `${name}: ${said}`;
  return [problemPlace(problem), label].filter((part) => part !== "").join(" ");
}

/** The line with what helps to understand it, indented below. */
export function problemBlock(problem: Problem, maxExcerptChars: number): string {
  const line = problemLine(problem, LONGEST_MESSAGE);
  const excerpt = cutText(problem.excerpt ?? "", maxExcerptChars);
  return excerpt === "" ? line : `${line}\n${excerpt.replace(/^(?=.*\S)/gm, "    ")}`;
}

/** `file:line:column`, as far as it is known. */
export function problemPlace({ file, line, column }: Problem): string {
  return [file, file === undefined ? undefined : line, line === undefined ? undefined : column]
    .filter((part) => part !== undefined)
    .join(":");
}

const LONGEST_MESSAGE = 600;
const LONGEST_NAME = 300;

/** What became of the problems since the last attempt. */
export interface Delta {
  /** How many are not reported any more: fixed, or hidden by something that failed earlier. */
  readonly gone: number;
  readonly stillThere: readonly Problem[];
  readonly fresh: readonly Problem[];
}

/** `previous` holds the fingerprints of the last attempt; the same fingerprint may stand for several places. */
export function compareAttempts(previous: readonly string[], problems: readonly Problem[]): Delta {
  const open = new Map<string, number>();
  for (const known of previous) open.set(known, (open.get(known) ?? 0) + 1);
  const stillThere: Problem[] = [];
  const fresh: Problem[] = [];
  for (const problem of problems) {
    const key = fingerprint(problem);
    const left = open.get(key) ?? 0;
    (left > 0 ? stillThere : fresh).push(problem);
    open.set(key, left - 1);
  }
  return { gone: previous.length - stillThere.length, stillThere, fresh };
}

/** One line for the agent and for `status`. */
export function describeDelta(delta: Delta): string {
  const { gone, stillThere, fresh } = delta;
  if (gone === 0 && fresh.length === 0) {
    return `Since the last attempt: nothing changed, ${stillThere.length} still there.`;
  }
  return `Since the last attempt: ${gone} gone, ${stillThere.length} still there, ${fresh.length} new.`;
}
