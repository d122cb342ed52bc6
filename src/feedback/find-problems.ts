import type { Log } from "./log.ts";
import type { FindingKind, Parser } from "./parsers/parser.ts";
import { PARSERS } from "./parsers/table.ts";
import type { Place } from "./place.ts";
import { projectRelative } from "./place.ts";
import type { Problem } from "./problem.ts";

/** A problem as read from a log: which parser read it, and where in the log it stood. */
export interface FoundProblem {
  readonly problem: Problem;
  readonly tool: string;
  readonly kind: FindingKind;
}

/** What the tools of one log said. */
export interface Reading {
  readonly problems: readonly FoundProblem[];
  /** For each line of the log, whether a parser read it. */
  readonly isRead: (line: number) => boolean;
}

/** `parser` pins one parser by name, `none` turns all of them off; otherwise every tool in the log is looked for. */
export function findProblems(log: Log, place: Place, parser?: string): Reading {
  const read = new Uint8Array(log.lines.length);
  const problems: FoundProblem[] = [];
  for (const candidate of candidates(log.text, parser)) {
    for (const { problem, from, to } of candidate.parse(log)) {
      if (read[from] === 1) continue;
      read.fill(1, from, to);
      problems.push({ problem: inProject(problem, place), tool: candidate.name, kind: candidate.kind });
    }
  }
  return { problems, isRead: (line) => read[line] === 1 };
}

function candidates(text: string, pinned: string | undefined): readonly Parser[] {
  if (pinned === "none") return [];
  const known = PARSERS.filter((parser) => parser.name === pinned);
  if (known.length > 0) return known;
  return PARSERS.filter((parser) => parser.marks.some((mark) => text.includes(mark)));
}

function inProject(problem: Problem, place: Place): Problem {
  return problem.file === undefined ? problem : { ...problem, file: projectRelative(problem.file, place) };
}
