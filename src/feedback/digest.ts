import type { Lines } from "./text/lines.ts";
import type { PatternParser } from "../gates/gate.ts";
import { partition, placedKey } from "./known-problems.ts";
import { compareAttempts, type Delta, describeDelta, fingerprint, type Problem } from "./problem.ts";
import { cutText } from "./text/cut-text.ts";
import { isEcho, isNoise } from "./text/noise.ts";
import { findProblems, isSure, type Reading, orderProblems, identityOf } from "./find-problems.ts";
import { coverage } from "./parsers/shapes/coverage.ts";
import { informativeWindows, linesAroundTrouble, unreadTrouble, unsaidLines } from "./informative-windows.ts";
import { type Listed, layOutProblems, type LaidOut, layOutLines } from "./lay-out-problems.ts";
import type { Log, ToolCounts } from "./log.ts";

export interface GateText {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** The text of the report file the gate wrote, where the configuration names one: read in place of the log. */
  readonly report?: string;
  readonly logPath: string;
  readonly projectRoot: string;
  /** Project-relative directory the gate ran in: what the relative paths in the log start from. */
  readonly workingDirectory?: string;
  readonly isFile?: (path: string) => boolean;
  /** A parser's name, or `none`, or a pattern of the project's own; found from the text when absent. */
  readonly parser?: string | PatternParser;
  /** The problems that were there before the change, by `placedKey`: they are counted, not listed. */
  readonly old?: readonly string[];
  /** For gates whose failure is not a log: describes it in so many characters. */
  readonly tell?: (budgetChars: number) => string;
}

export type Draft = (budgetChars: number) => string;

export interface GateReading {
  /** Each once, in the order of repair. */
  readonly problems: readonly Problem[];
  /** Whether the tool counts its failures, and all of them were read. */
  readonly isComplete: () => boolean;
  /** Those that were there before the change, where the gate was compared. */
  readonly old: readonly Problem[];
  /** Given the fingerprints of the last attempt, the digest says what became of its problems. */
  readonly draft: (previous?: readonly string[]) => Draft;
}

export function readGate(gate: GateText): GateReading {
  const { tell } = gate;
  if (tell !== undefined) return { problems: [], old: [], isComplete: () => false, draft: () => tell };
  const found = findProblems(gate);
  const ordered = orderProblems(found.problems);
  const { taken: old, rest: problems } = partition(ordered, gate.old ?? [], keyOf);
  const read = { gate, found, problems };
  const isComplete = (): boolean => isAllRead({ ...read, problems: ordered });
  if (problems.length === 0)
    return {
      problems,
      old,
      isComplete,
      draft: () => (budget) => windowsDigest(found.log.lines, budget, gate.logPath),
    };
  const draft = old.length > 0 ? draftNewProblems : draftProblems;
  return { problems, old, isComplete, draft: (previous) => draft(read, previous) };
}

function keyOf(problem: Problem): string {
  return placedKey({ key: fingerprint(problem), problem });
}

/** Only what the change broke: the rest of the log is about what was there before, too. */
function draftNewProblems(read: ReadProblems, previous?: readonly string[]): Draft {
  const { gate, found, problems } = read;
  const { delta, listed } = listProblems(read, previous);
  const head = [countProblems(problems, found.unread), ...deltaLine(delta)].join("\n");
  const foot = [leftAlone(gate.old?.length ?? 0), fullLog(gate.logPath)].join("\n");
  return (budget) =>
    [head, layOutProblems(listed, budget - head.length - foot.length - 2).text, foot].join("\n");
}

function leftAlone(count: number): string {
  return count === 1
    ? "1 more problem was there before your change: leave it alone."
    : `${count} more problems were there before your change: leave them alone.`;
}

/** One text for each gate, together within the budget, shared by need: every problem once, with its place, as fully as fits. */
export function digestGates(drafts: readonly Draft[], budgetChars: number): readonly string[] {
  const wanted = drafts.map((draft) => draft(budgetChars));
  const needs = wanted.map((text) => text.length);
  return shareBudget(needs, budgetChars).map((share, index) =>
    share === needs[index] ? (wanted[index] ?? "") : cutText(drafts[index]?.(share) ?? "", share),
  );
}

/** Divides a budget by need: small requests are met in full, the rest is shared. */
function shareBudget(needs: readonly number[], budget: number): readonly number[] {
  const shares = needs.map(() => 0);
  const byNeed = needs.map((need, index) => ({ need, index })).toSorted((a, b) => a.need - b.need);
  let left = Math.max(0, budget);
  byNeed.forEach(({ need, index }, position) => {
    const share = Math.min(need, Math.floor(left / (byNeed.length - position)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}

interface ReadProblems {
  readonly gate: GateText;
  readonly found: Reading & { readonly log: Log };
  readonly problems: readonly Problem[];
}

function listProblems({ found, problems }: ReadProblems, previous: readonly string[] | undefined) {
  const delta = previous === undefined ? undefined : compareAttempts(previous, problems);
  const known = new Set(delta?.stillThere);
  const position = new Map(found.problems.map(({ problem }, index) => [problem, index]));
  const listed = [...(delta?.fresh ?? problems), ...known].map((problem) => ({
    problem,
    known: known.has(problem),
    position: position.get(problem) ?? 0,
  }));
  return { delta, listed };
}

/** What is as it was needs no comparison: the heading of the gate says so. */
function deltaLine(delta: Delta | undefined): readonly string[] {
  const isChanged = delta !== undefined && (delta.gone > 0 || delta.fresh.length > 0);
  return isChanged ? [describeDelta(delta)] : [];
}

function draftProblems(read: ReadProblems, previous?: readonly string[]): Draft {
  const { gate, found, problems } = read;
  const { delta, listed } = listProblems(read, previous);
  const counts = found.log.counts();
  const head = [
    countProblems(problems, found.unread),
    ...deltaLine(delta),
    ...unreadNotice(read, counts),
  ].join("\n");
  const foot = [counts.summary, fullLog(gate.logPath)].filter((part) => part !== "").join("\n");
  const isMissingSome = hasUnread(read, counts);
  const draft = { ...read, listed, head, foot, isMissingSome, isProved: isProved(read) };
  return (budget) => wholeLogDigest(draft, budget) ?? longLogDigest(draft, budget);
}

interface ProblemsDraft extends ReadProblems {
  readonly listed: readonly Listed[];
  readonly head: string;
  readonly foot: string;
  readonly isMissingSome: boolean;
  /** Nothing but what is listed can have failed. */
  readonly isProved: boolean;
}

function isAllRead(read: ReadProblems): boolean {
  const counts = read.found.log.counts();
  if (counts.failures === undefined || read.found.unread > 0 || hasUnread(read, counts)) return false;
  return counts.added <= read.found.problems.length && read.problems.every(isTold);
}

/** Shapes alone prove nothing, nor do places where tests were run. */
function isProved(read: ReadProblems): boolean {
  const { problems, log } = read.found;
  if (!isAllRead(read) || !problems.every(isSure)) return false;
  return !log.counts().hasTests || problems.some(({ problem }) => problem.test !== undefined);
}

/** Whether more than its name was read of a failed test. */
function isTold({ test, message, excerpt }: Problem): boolean {
  return test === undefined || excerpt !== undefined || message !== "failed";
}

/** Whether the tool counts more failures than were read. No tool counts missed coverage among them. */
export function hasUnread(
  { found, problems }: Pick<ReadProblems, "found" | "problems">,
  { failures }: ToolCounts,
): boolean {
  const uncounted = found.problems.filter(({ tool }) => tool === coverage.name).length;
  const read = Math.max(found.problems.length, problems.length) + found.unread - uncounted;
  return failures !== undefined && failures > read;
}

/** The tool's own count checks what was read. */
function unreadNotice(read: ReadProblems, counts: ToolCounts): readonly string[] {
  const { failures } = counts;
  if (hasUnread(read, counts))
    return [
      `The tool counts ${failures}: what could not be read as a problem is shown as it stands in the log.`,
    ];
  const isMore = failures !== undefined && failures > read.problems.length + read.found.unread;
  return isMore ? [`The tool counts ${failures}: what has one name and one place is listed once.`] : [];
}

/** Where the log fits, nothing in it is lost: the list, as fully as there is room, and whatever of the log it does not say. */
function wholeLogDigest(draft: ProblemsDraft, budgetChars: number): string | undefined {
  const { found, listed, head, foot } = draft;
  if (!found.log.lines.fit(budgetChars)) return undefined;
  const room = budgetChars - head.length - foot.length - 2;
  const lists = [layOutProblems(listed, room), layOutLines(listed, 240), layOutLines(listed, 80)];
  for (const list of lists) {
    const text = withRest(draft, list);
    if (text.length <= budgetChars) return text;
  }
  const whole = found.log.lines.slice(0).join("\n").trimEnd();
  const withHead = [head, whole, foot].join("\n");
  return withHead.length <= budgetChars ? withHead : whole;
}

function withRest(draft: ProblemsDraft, list: LaidOut): string {
  const { gate, found, listed, head, foot, isProved } = draft;
  const blocks = new Map(
    listed.map(({ problem }, index) => [identityOf(problem), list.blocks?.[index] ?? ""]),
  );
  const said = found.problems.map(({ problem, from, to }) => ({
    from,
    to,
    shown: blocks.get(identityOf(problem)) ?? "",
  }));
  const isNeeded = isProved ? neededLines(draft) : undefined;
  const rest = unsaidLines(found.log.lines, said, { projectRoot: gate.projectRoot, isNeeded });
  if (/[\p{L}\p{N}]/u.test(rest)) return [head, list.text, REST, rest, fullLog(gate.logPath)].join("\n");
  return [head, list.text, isProved ? fullLog(gate.logPath) : foot].join("\n");
}

const REST = "What else the log says:";

/** Of a log in which all failures were read: what failed tests printed, and trouble of which no listed problem tells. */
function neededLines({ found, problems }: ProblemsDraft): (index: number) => boolean {
  const { log, isRead } = found;
  const needed = new Set(linesAroundTrouble({ lines: log.lines, isRead, listed: problems }));
  const printed = found.problems.flatMap(({ problem, from }) => {
    if (problem.test === undefined) return [];
    const lines: number[] = [];
    for (let index = from - 1; index >= 0 && lines.length < MOST_PRINTED && !isRead(index); index -= 1) {
      if (isEnd(log.lines.at(index))) break;
      lines.push(index);
    }
    return lines;
  });
  const headings = log.lines
    .slice(0)
    .flatMap((line, index) => (PRINTED.test(line) && !isRead(index) ? [index] : []));
  const below = headings.flatMap((heading) => {
    const lines = log.lines.slice(heading, heading + MOST_PRINTED);
    const end = lines.findIndex((line) => line.trim() === "");
    return lines.slice(0, end === -1 ? MOST_PRINTED : end).map((_, index) => heading + index);
  });
  for (const index of [...printed, ...below]) needed.add(index);
  return (index) => needed.has(index);
}

/** Vitest says of which test the lines below it are; those of tests that passed have been read. */
const PRINTED = /^(?:stdout|stderr) \| /;

const MOST_PRINTED = 20;

function isEnd(line: string): boolean {
  return line.trim() === "" || isNoise(line);
}

/** The list comes first; unread trouble gets what the list leaves, all of it when the tool counts more than was read. */
function longLogDigest(draft: ProblemsDraft, budgetChars: number): string {
  const { found, problems, listed, head, foot, isMissingSome } = draft;
  const room = budgetChars - head.length - foot.length - 2;
  const reserved = isMissingSome ? Math.floor(room / 3) : 0;
  const { text: list } = layOutProblems(listed, room - reserved);
  const parts = [head, list, foot];
  const left = budgetChars - parts.join("\n").length - ALSO.length - 2;
  const further =
    left < LEAST_FURTHER
      ? ""
      : unreadTrouble(
          { lines: found.log.lines, isRead: found.isRead, listed: problems },
          isMissingSome ? left : Math.min(left, MOST_FURTHER),
        );
  return (further === "" ? parts : [head, list, ALSO, further, foot]).join("\n");
}

const ALSO = "Also in the log:";
const MOST_FURTHER = 1500;
const LEAST_FURTHER = 60;

function windowsDigest(lines: Lines, budgetChars: number, logPath: string): string {
  const foot = fullLog(logPath);
  let first = 0;
  while (first < lines.length && lines.isBlank(first)) first += 1;
  const all = lines.slice(first);
  const own = all.filter((line) => !isEcho(line));
  const text = (own.some((line) => line.trim() !== "") ? own : all)
    .join("\n")
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd();
  if (text === "") return "It printed nothing.";
  if (text.length <= budgetChars) return text.length + foot.length < budgetChars ? `${text}\n${foot}` : text;
  return [informativeWindows(lines, budgetChars - foot.length - 1), foot]
    .filter((part) => part !== "")
    .join("\n");
}

function fullLog(logPath: string): string {
  return `Full log: ${logPath}`;
}

function countProblems(problems: readonly Problem[], unread: number): string {
  const files = new Set(problems.flatMap(({ file }) => file ?? [])).size;
  const warnings = problems.filter(({ severity }) => severity === "warning").length;
  const tests = problems.filter(({ severity, test }) => severity === "error" && test !== undefined).length;
  const kinds = [
    counted(problems.length - warnings - tests, "error"),
    counted(tests, "failing test"),
    counted(warnings, "warning"),
    unread === 0 ? "" : `${unread} further ones`,
  ].filter((part) => part !== "");
  const place = files === 0 ? "" : ` in ${counted(files, "file")}`;
  return kinds.length === 1
    ? `${kinds.join()}${place}:`
    : `${counted(problems.length + unread, "problem")}${place}: ${kinds.join(", ")}`;
}

function counted(count: number, noun: string): string {
  return count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`;
}
