import type { Priority } from "../gate.ts";
import type { ProjectPath } from "../../path.ts";

/** The agent may change `status` and `result`, nothing else. */
export interface Finding {
  readonly id: string;
  readonly file: ProjectPath;
  readonly line: number | null;
  readonly issue: string;
  readonly fix: string;
  readonly priority: Priority;
  readonly status: FindingStatus;
  /** What was done, why it is skipped, or what is still wrong. */
  readonly result: string;
}

export const FINDING_STATUSES = ["new", "fixed", "skipped"] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

export type ReportedFinding = Omit<Finding, "id" | "status" | "result">;

export interface ReviewReport {
  readonly open: readonly Finding[];
  readonly skipped: readonly Finding[];
  readonly sheets: readonly ProjectPath[];
}

export const PRIORITIES = ["critical", "high", "medium", "low"] as const satisfies readonly Priority[];

export function isAtLeast(priority: Priority, threshold: Priority): boolean {
  return PRIORITIES.indexOf(priority) <= PRIORITIES.indexOf(threshold);
}

/** The id is made of file and words, so a shifted line does not change it. */
export function identify(reported: ReportedFinding): Finding {
  const id = `f-${hash(`${reported.file}\n${words(reported.issue).join(" ")}`)}`;
  return { id, ...reported, status: "new", result: "" };
}

/** Models rarely repeat themselves literally. */
export function isSameFinding(one: Finding, other: Finding): boolean {
  if (one.id === other.id) return true;
  if (one.file !== other.file) return false;
  return overlap(new Set(words(one.issue)), new Set(words(other.issue))) >= SAME_WORDS;
}

/** `src/a.ts:12 high Division by zero.` */
export function describeFinding({ file, line, priority, issue }: Finding): string {
  const place = line === null ? file : `${file}:${line}`;
  const words = `${priority} ${issue.replace(/\s+/g, " ").trim()}`;
  return place === "." ? words : `${place} ${words}`;
}

/** `2 findings (1 critical, 1 low)` */
export function countFindings(findings: readonly Finding[]): string {
  const counts = PRIORITIES.flatMap((priority) => {
    const count = findings.filter((finding) => finding.priority === priority).length;
    return count === 0 ? [] : [`${count} ${priority}`];
  });
  return `${findings.length} ${findings.length === 1 ? "finding" : "findings"} (${counts.join(", ")})`;
}

export function byUrgency(one: Finding, other: Finding): number {
  return (
    PRIORITIES.indexOf(one.priority) - PRIORITIES.indexOf(other.priority) ||
    one.file.localeCompare(other.file) ||
    (one.line ?? 0) - (other.line ?? 0)
  );
}

/** From this share of common words on, two issues are one. */
const SAME_WORDS = 0.6;

function words(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  const all = new Set([...one, ...other]).size;
  return all === 0 ? 0 : shared / all;
}

/** FNV-1a, 32 bits: short to type, wide enough for one review. */
function hash(text: string): string {
  let state = 0x811c9dc5;
  for (const character of text) {
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return state.toString(16).padStart(8, "0");
}
