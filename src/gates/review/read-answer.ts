import { z } from "zod";
import { PRIORITIES, type ReportedFinding } from "../../core/finding.ts";
import { projectPath } from "../../core/path.ts";
import type { ReviewAnswer, Verification } from "../../core/review-round.ts";
import { jsonInText } from "./json-in-text.ts";

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
