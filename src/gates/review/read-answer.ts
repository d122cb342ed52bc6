import { parseJson } from "../../core/json.ts";
import { z } from "zod";
import { PRIORITIES, type ReportedFinding } from "../../core/review/finding.ts";
import { projectPath } from "../../core/path.ts";
import type { ReviewAnswer, Verification } from "../../core/review/review-slot.ts";

/**
 * Reads a reviewer's answer: found leniently in whatever text surrounds it, then held to the contract strictly.
 * Undefined when the text holds no answer at all.
 */
export function readAnswer(text: string, root: string): ReviewAnswer | undefined {
  const values = jsonInText(text);
  const answer = values.map((value) => validated(value, root)).findLast((value) => value !== undefined);
  return answer ?? bareList(values.at(-1), root);
}

/** Some models leave the envelope out. */
function bareList(value: unknown, root: string): ReviewAnswer | undefined {
  return Array.isArray(value) ? validated({ findings: value }, root) : undefined;
}

const envelope = z.object({
  findings: z.array(z.unknown()),
  verified: z.array(z.unknown()).nullish(),
});

const reportedFinding = z.object({
  file: z.string().trim().min(1),
  line: z.int().positive().nullish(),
  issue: z.string().trim().min(1),
  fix: z.string().nullish(),
  priority: z.string().toLowerCase().pipe(z.enum(PRIORITIES)),
});

const verification = z.object({
  id: z.string().trim().min(1),
  fixed: z.boolean(),
  note: z.string().nullish(),
});

/** An envelope in which nothing can be read is not an answer. */
function validated(value: unknown, root: string): ReviewAnswer | undefined {
  const outer = envelope.safeParse(value);
  if (!outer.success) return undefined;
  const items = outer.data.findings;
  const findings = items.flatMap((item) => readFinding(item, root));
  const verdicts = outer.data.verified ?? [];
  const verified = verdicts.flatMap(readVerification);
  const malformed = items.length - findings.length + (verdicts.length - verified.length);
  const isNonsense = malformed > 0 && findings.length + verified.length === 0;
  return isNonsense ? undefined : { findings, verified, malformed };
}

function readFinding(item: unknown, root: string): readonly ReportedFinding[] {
  const read = reportedFinding.safeParse(item);
  if (!read.success) return [];
  const { file, line, issue, fix, priority } = read.data;
  return [{ file: relativeTo(root, file), line: line ?? null, issue, fix: fix?.trim() ?? "", priority }];
}

function readVerification(item: unknown): readonly Verification[] {
  const read = verification.safeParse(item);
  return read.success ? [{ ...read.data, note: read.data.note?.trim() ?? "" }] : [];
}

/** Models name files as the diff, the file system or Windows does. */
function relativeTo(root: string, file: string): ReportedFinding["file"] {
  const slashes = file.replaceAll("\\", "/");
  const base = `${root.replaceAll("\\", "/")}/`;
  return projectPath(slashes.startsWith(base) ? slashes.slice(base.length) : slashes);
}

/** Texts longer than this are no answers; only their end is searched. */
const MAX_CHARS = 1_000_000;
/** So many characters are read in all before a text that only looks like JSON is given up. */
const MAX_READ_CHARS = 8_000_000;
/** After giving up, the end alone is searched: that is where an answer is. */
const END_CHARS = 50_000;

/**
 * Finds the JSON objects and arrays in a text, whatever stands around them: prose, code fences, fences inside of
 * strings inside of fences. Outermost values only, in the order of the text.
 */
export function jsonInText(text: string): readonly unknown[] {
  const searched = text.slice(-MAX_CHARS).trim();
  const whole = parseJson(searched);
  if (typeof whole === "object" && whole !== null) return [whole];
  return scan(searched) ?? scan(searched.slice(-END_CHARS)) ?? [];
}

/** Undefined when the text has too many beginnings without an end. */
function scan(text: string): readonly unknown[] | undefined {
  const found: unknown[] = [];
  const starts = /[{[](?=\s*["{\]}])/g;
  let read = 0;
  for (let start = starts.exec(text)?.index; start !== undefined; start = starts.exec(text)?.index) {
    const end = closingOf(text, start);
    read += (end ?? text.length) - start;
    if (read > MAX_READ_CHARS) return undefined;
    const value = end === undefined ? undefined : parseJson(text.slice(start, end));
    if (end === undefined || value === undefined) continue;
    found.push(value);
    starts.lastIndex = end;
  }
  return found;
}

/** Just past the bracket that closes the one at `start`; strings are skipped, escapes in them too. */
function closingOf(text: string, start: number): number | undefined {
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === "{" || token[0] === "[") depth++;
    if (token[0] === "}" || token[0] === "]") depth--;
    if (depth === 0) return tokens.lastIndex;
  }
  return undefined;
}
