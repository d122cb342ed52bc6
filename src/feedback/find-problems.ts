import { type Log, readLog } from "./log.ts";
import type { PatternParser } from "../gates/gate.ts";
import { composeProblem, patternParser, type FindingKind, type Parser } from "./parsers/parser.ts";
import { countBefore } from "./parsers/sections.ts";
import { PARSERS } from "./parsers/table.ts";
import type { IsThere } from "./text/placed-text.ts";
import { type Place, projectRelative, taskRelative, withShortPaths } from "./text/project-paths.ts";
import type { Problem } from "./problem.ts";
import { readStructured } from "./read-structured.ts";

export interface FoundProblem {
  readonly problem: Problem;
  readonly tool: string;
  readonly kind: FindingKind;
  /** The lines of the log it was read from; none for a report. */
  readonly from: number;
  readonly to: number;
}

export interface Reading {
  readonly problems: readonly FoundProblem[];
  readonly unread: number;
  readonly isRead: (line: number) => boolean;
}

/** What a gate said: its report where it wrote one, otherwise what its log tells. */
export function findProblems({ isFile, ...words }: GateWords): Reading & { readonly log: Log } {
  const gate = isFile === undefined ? words : { ...words, isFile: remembered(isFile) };
  const log = readLog(gate.text, knownFiles(gate));
  const reading = readReport(gate) ?? parseLog(log, gate, gate.parser);
  const hasLongPaths = gate.text.includes(`${gate.projectRoot}/`) || gate.text.includes("file://"); // one look, not one for each line
  const lines = hasLongPaths ? log.lines.changed((line) => withShortPaths(line, gate)) : log.lines;
  return { log: { ...log, lines }, ...reading };
}

function remembered(isFile: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const answer = known.get(path) ?? isFile(path);
    known.set(path, answer);
    return answer;
  };
}

/** A report that cannot be read, or is empty, falls back to the log. */
function readReport({ text, report, parser, ...place }: GateWords): Reading | undefined {
  if (parser === "none") return undefined;
  const reported = readStructured(report ?? text);
  if (reported !== undefined) {
    const problems = reported.map((one) => ({
      ...one,
      problem: inProject(one.problem, place, (file) => projectRelative(file, place)),
      from: 0,
      to: 0,
    }));
    return { problems, unread: 0, isRead: () => report === undefined };
  }
  const found =
    report === undefined ? undefined : parseLog(readLog(report, knownFiles(place)), place, parser);
  return found === undefined || found.problems.length === 0 ? undefined : { ...found, isRead: () => false };
}

interface GateWords extends Place {
  readonly text: string;
  readonly report?: string;
  readonly parser?: string | PatternParser;
}

/** `parser` pins one parser by name, `none` turns all of them off; otherwise every tool in the log is looked for. */
function parseLog(log: Log, place: Place, parser?: string | PatternParser): Reading {
  const read = new Uint8Array(log.lines.length);
  const isThere = knownFiles(place);
  const pathOf = pathReader(log, place);
  const isRead = (line: number) => read[line] === 1;
  const problems: FoundProblem[] = [];
  let unread = 0;
  for (const { name: tool, kind, parse } of candidates(parser)) {
    for (const { from, to, caught } of parse(log, isRead)) {
      if (isRead(from)) continue;
      if (to === from + 1) read[from] = 1;
      else read.fill(1, from, to);
      if (caught === undefined) continue;
      if (problems.length < MOST_READ) {
        const problem = wholeName(composeProblem(caught()), log.lines.slice(from, to), isThere);
        const inside = inProject(problem, place, (file) => pathOf(file, from));
        problems.push({ problem: inside, tool, kind, from, to });
      } else unread += 1;
    }
  }
  return { problems: withoutEchoes(problems), unread, isRead };
}

/** Leaves out what names a failed test a second time, at its place: the line of a reporter that a runner moved away from its details. */
function withoutEchoes(problems: readonly FoundProblem[]): readonly FoundProblem[] {
  const named = problems.filter(({ problem }) => problem.test !== undefined);
  const tests = new Map(named.map(({ problem }) => [placeOf(problem), problem.test]));
  const isEcho = (problem: Problem): boolean => {
    const test = problem.test === undefined ? tests.get(placeOf(problem)) : undefined;
    return test !== undefined && problem.line !== undefined && problem.message.includes(test);
  };
  return problems.filter(({ problem }) => !isEcho(problem));
}

function placeOf({ file, line }: Problem): string {
  return `${file}:${line}`;
}

const MOST_READ = 3000;

function candidates(pinned: string | PatternParser | undefined): readonly Parser[] {
  if (pinned === "none") return [];
  if (typeof pinned === "object") return [patternParser(pinned)];
  const known = PARSERS.filter((parser) => parser.name === pinned);
  return known.length > 0 ? known : PARSERS;
}

/** Gives the path of a file that was printed on a line; worked out once for all the problems of a file. */
function pathReader({ tasks }: Log, place: Place): (file: string, line: number) => string {
  const known = new Map<string, string>();
  return (file, line) => {
    const last = countBefore(tasks.length, (index) => (tasks[index]?.from ?? line) <= line);
    const nearest = tasks.slice(Math.max(0, last - MOST_TASKS), last).toReversed();
    const key = [file, ...nearest.map(({ name }) => name)].join("\n");
    const path = known.get(key) ?? taskRelative(file, place, nearest);
    known.set(key, path);
    return path;
  };
}

const MOST_TASKS = 3;

/** Paths inside messages are shortened too: they say the same, and fingerprints stay the same elsewhere. */
function inProject(problem: Problem, place: Place, pathOf: (file: string) => string): Problem {
  const { file, message, excerpt } = problem;
  return {
    ...problem,
    ...(file === undefined ? {} : { file: pathOf(file) }),
    message: withShortPaths(message, place),
    ...(excerpt === undefined ? {} : { excerpt: withShortPaths(excerpt, place) }),
  };
}

/** A name that was read from its last space on, made whole: `my dir/a.c`, read as `dir/a.c`. */
function wholeName(problem: Problem, lines: readonly string[], isThere: IsThere): Problem {
  const { file } = problem;
  const line = file === undefined ? undefined : lines.find((text) => text.includes(` ${file}`));
  if (file === undefined || line === undefined || isThere(file)) return problem;
  const words = line
    .slice(0, line.indexOf(` ${file}`))
    .split(" ")
    .slice(-MOST_WORDS);
  const longer = words.map((_, index) => [...words.slice(index), file].join(" ").replace(/^["'`([]+/, ""));
  const whole = longer.findLast(isThere);
  return whole === undefined ? problem : { ...problem, file: whole };
}

const MOST_WORDS = 8;

/** Whether the project has a file that a tool named; asked once for each name, a limited number of times. */
function knownFiles(place: Place): IsThere {
  const { isFile } = place;
  const known = new Map<string, boolean>();
  return (printed) => {
    if (isFile === undefined) return false;
    const answer = known.get(printed) ?? (known.size < MOST_ASKED && isFile(projectRelative(printed, place)));
    known.set(printed, answer);
    return answer;
  };
}

const MOST_ASKED = 1000;

/** Each problem once, in the order of repair: what does not build, then what linters say, failing tests, warnings; file by file. */
export function orderProblems(found: readonly FoundProblem[]): readonly Problem[] {
  const unique = withoutRepeats(found);
  const firstSeen = new Map<string, number>();
  for (const one of unique) {
    const key = `${rank(one)} ${one.problem.file}`;
    if (!firstSeen.has(key)) firstSeen.set(key, firstSeen.size);
  }
  return unique
    .map((one) => ({ one, rank: rank(one), file: firstSeen.get(`${rank(one)} ${one.problem.file}`) ?? 0 }))
    .toSorted((a, b) => a.rank - b.rank || a.file - b.file || lineOf(a.one) - lineOf(b.one))
    .map(({ one }) => one.problem);
}

const RANK = { build: 0, lint: 2, test: 4 } as const;
const WARNING_RANK = 6;

/** Within its kind, a problem with a place is easier to repair than one without. */
function rank({ problem, kind }: FoundProblem): number {
  if (problem.severity === "warning") return WARNING_RANK;
  return RANK[kind] + (problem.file === undefined ? 1 : 0);
}

function lineOf({ problem }: FoundProblem): number {
  return problem.line ?? Number.MAX_SAFE_INTEGER;
}

/** Runners repeat failures in a summary, and two tools may report the same line: the fullest telling stays, where the first one stood. */
function withoutRepeats(found: readonly FoundProblem[]): readonly FoundProblem[] {
  const unique = new Map<string, FoundProblem>();
  for (const one of found) {
    const key = identityOf(one.problem);
    const seen = unique.get(key);
    if (seen === undefined || weight(one.problem) > weight(seen.problem)) unique.set(key, one);
  }
  return withoutBareRepeats([...unique.values()]);
}

/** A runner lists the names of failed tests again at the end, without what it said about them. */
function withoutBareRepeats(unique: readonly FoundProblem[]): readonly FoundProblem[] {
  const known = withoutShapesOfKnown(unique);
  const told = new Set(known.filter(isTold).map(({ problem }) => problem.test));
  return known.filter((one) => one.problem.test === undefined || isTold(one) || !told.has(one.problem.test));
}

function isTold({ problem }: FoundProblem): boolean {
  return problem.file !== undefined || problem.excerpt !== undefined;
}

/** What a runner's own parser has read is not read again by its shape, nor from the list at the end. */
function withoutShapesOfKnown(unique: readonly FoundProblem[]): readonly FoundProblem[] {
  const surest = new Map<string, number>();
  for (const { tool, problem } of unique) {
    const name = lastName(problem.test ?? "");
    surest.set(name, Math.min(surest.get(name) ?? Number.MAX_SAFE_INTEGER, sureness(tool)));
  }
  return unique.filter(
    ({ tool, problem }) =>
      problem.test === undefined || sureness(tool) <= (surest.get(lastName(problem.test)) ?? 0),
  );
}

function sureness(tool: string): number {
  return tool === "listed" ? 2 : tool === "tests" ? 1 : 0;
}

/** Whether a parser made for the tool has read it, not one that goes by its shape. */
export function isSure({ tool }: FoundProblem): boolean {
  return sureness(tool) === 0 && tool !== "complaints";
}

export function lastName(test: string): string {
  return test.split(/ [>›] |::|#|\./).at(-1) ?? test;
}

export function identityOf({ file, line, column, code, test, message }: Problem): string {
  if (test !== undefined) return `test ${file} ${line} ${test}`;
  return [file, line, column, code, message].join("\u0000");
}

function weight(problem: Problem): number {
  return Object.keys(problem).length + (problem.excerpt?.length ?? 0) / 10_000;
}
