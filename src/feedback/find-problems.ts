import { type Log, readLog } from "./log.ts";
import type { FindingKind, Parser } from "./parsers/parser.ts";
import { PARSERS } from "./parsers/table.ts";
import { type Place, projectRelative, withShortPaths } from "./place.ts";

import type { Problem } from "./problem.ts";
import { readStructured } from "./structured/read-structured.ts";

/** A problem as read from a log: which parser read it, and where in the log it stood. */
export interface FoundProblem {
  readonly problem: Problem;
  readonly tool: string;
  readonly kind: FindingKind;
}

/** What the tools of one log said. */
export interface Reading {
  readonly problems: readonly FoundProblem[];
  /** How many more there are. */
  readonly unread: number;
  /** For each line of the log, whether a parser read it. */
  readonly isRead: (line: number) => boolean;
}

/** What a gate said: its report where it wrote one, otherwise what its log tells. */
export function findProblems(gate: GateWords): Reading & { readonly log: Log } {
  const log = readLog(gate.text);
  return { log, ...(readReport(gate) ?? parseLog(log, gate, gate.parser)) };
}

/** A report that cannot be read, or says nothing, leaves the word to the log. */
function readReport({ text, report, parser, ...place }: GateWords): Reading | undefined {
  if (parser === "none") return undefined;
  const reported = readStructured(report ?? text);
  if (reported !== undefined) {
    const problems = reported.map((one) => ({ ...one, problem: inProject(one.problem, place) }));
    return { problems, unread: 0, isRead: () => report === undefined };
  }
  const found = report === undefined ? undefined : parseLog(readLog(report), place, parser);
  return found === undefined || found.problems.length === 0 ? undefined : { ...found, isRead: () => false };
}

interface GateWords extends Place {
  readonly text: string;
  /** The text of the report file the check wrote, where the configuration names one. */
  readonly report?: string;
  readonly parser?: string;
}

/** `parser` pins one parser by name, `none` turns all of them off; otherwise every tool in the log is looked for. */
function parseLog(log: Log, place: Place, parser?: string): Reading {
  const read = new Uint8Array(log.lines.length);
  const isRead = (line: number) => read[line] === 1;
  const problems: FoundProblem[] = [];
  let unread = 0;
  for (const { name: tool, kind, parse } of candidates(parser)) {
    for (const { from, to, read: readProblem } of parse(log, isRead)) {
      if (isRead(from)) continue;
      read.fill(1, from, to);
      if (readProblem === undefined) continue;
      if (problems.length < MOST_READ)
        problems.push({ problem: inProject(readProblem(), place), tool, kind });
      else unread += 1;
    }
  }
  return { problems, unread, isRead };
}

/** More than anyone can use; the rest is counted. */
const MOST_READ = 3000;

function candidates(pinned: string | undefined): readonly Parser[] {
  if (pinned === "none") return [];
  const known = PARSERS.filter((parser) => parser.name === pinned);
  return known.length > 0 ? known : PARSERS;
}

/** Paths inside messages are shortened too, so that fingerprints stay the same elsewhere. */
function inProject(problem: Problem, place: Place): Problem {
  const { file, message, excerpt } = problem;
  return {
    ...problem,
    ...(file === undefined ? {} : { file: projectRelative(file, place) }),
    message: withShortPaths(message, place),
    ...(excerpt === undefined ? {} : { excerpt: withShortPaths(excerpt, place) }),
  };
}
