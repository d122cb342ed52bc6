import { compareAttempts, describeDelta } from "./compare-attempts.ts";
import { cutText } from "./cut-text.ts";
import { findProblems } from "./find-problems.ts";
import { informativeWindows } from "./informative-windows.ts";
import { type Listed, layOutProblems } from "./lay-out-problems.ts";
import { orderProblems } from "./order-problems.ts";
import type { Problem } from "./problem.ts";
import { shareBudget } from "./share-budget.ts";
import { toolSummary, unreadTrouble } from "./unread-lines.ts";

/** What one failing gate printed. */
export interface GateText {
  readonly id: string;
  readonly name: string;
  /** The retained head and tail of its log. */
  readonly text: string;
  /** The text of the report file the gate wrote, where the configuration names one: read in place of the log. */
  readonly report?: string;
  /** Shown to the agent as the place of the rest. */
  readonly logPath: string;
  readonly projectRoot: string;
  /** Project-relative directory the gate ran in: what the relative paths in the log start from. */
  readonly workingDirectory?: string;
  /** A parser's name, or `none`; found from the text when absent. */
  readonly parser?: string;
  /** For gates whose failure is no log: tells it in so many characters. */
  readonly tell?: (budgetChars: number) => string;
}

/** A digest in at most so many characters. */
export type Draft = (budgetChars: number) => string;

/** What one failing gate said, read once for whoever asks. */
export interface GateReading {
  /** Each once, in the order of repair. */
  readonly problems: readonly Problem[];
  /** Given the fingerprints of the last attempt, the digest says what became of its problems. */
  readonly draft: (previous?: readonly string[]) => Draft;
}

/** Reads what a gate printed, or the report it wrote. */
export function readGate(gate: GateText): GateReading {
  const { tell } = gate;
  if (tell !== undefined) return { problems: [], draft: () => tell };
  const found = findProblems(gate);
  const problems = orderProblems(found.problems);
  if (problems.length > 0)
    return { problems, draft: (previous) => draftProblems({ gate, found, problems }, previous) };
  return { problems, draft: () => (budget) => windowsDigest(found.log.lines, budget, gate.logPath) };
}

/** One text for each gate, together within the budget, shared by need: every problem once, with its place, as fully as fits. */
export function digestGates(drafts: readonly Draft[], budgetChars: number): readonly string[] {
  const wanted = drafts.map((draft) => draft(budgetChars));
  const needs = wanted.map((text) => text.length);
  return shareBudget(needs, budgetChars).map((share, index) =>
    share === needs[index] ? (wanted[index] ?? "") : cutText(drafts[index]?.(share) ?? "", share),
  );
}

interface ReadProblems {
  readonly gate: GateText;
  readonly found: ReturnType<typeof findProblems>;
  readonly problems: readonly Problem[];
}

function draftProblems({ gate, found, problems }: ReadProblems, previous?: readonly string[]): Draft {
  const { log, isRead, unread } = found;
  const delta = previous === undefined ? undefined : compareAttempts(previous, problems);
  const known = new Set(delta?.stillThere);
  const position = new Map(found.problems.map(({ problem }, index) => [problem, index]));
  const listed = [...(delta?.fresh ?? problems), ...known].map((problem) => ({
    problem,
    known: known.has(problem),
    position: position.get(problem) ?? 0,
  }));
  const head = [countProblems(problems, unread), ...(delta === undefined ? [] : [describeDelta(delta)])].join(
    "\n",
  );
  const summary = toolSummary(log.lines, isRead);
  const further = unreadTrouble(log.lines, isRead, problems);
  return (budget) => problemsDigest({ head, listed, summary, further, logPath: gate.logPath }, budget);
}

interface ProblemsDraft {
  readonly head: string;
  readonly listed: readonly Listed[];
  /** What the tools said in sum, and troubling lines no parser understood. */
  readonly summary: string;
  readonly further: string;
  readonly logPath: string;
}

/** The list comes first; what else the log says gets what the list leaves. */
function problemsDigest(
  { head, listed, summary, further, logPath }: ProblemsDraft,
  budgetChars: number,
): string {
  const foot = [summary, fullLog(logPath)].filter((part) => part !== "").join("\n");
  const list = layOutProblems(listed, budgetChars - head.length - foot.length - 2);
  const parts = [head, list, foot];
  const left = budgetChars - parts.join("\n").length - 1;
  return (further.length > 0 && further.length <= left ? [head, list, further, foot] : parts).join("\n");
}

function windowsDigest(lines: readonly string[], budgetChars: number, logPath: string): string {
  const foot = fullLog(logPath);
  if (lines.every((line) => line.trim() === "")) return "It printed nothing.";
  return [informativeWindows(lines, budgetChars - foot.length - 1), foot]
    .filter((part) => part !== "")
    .join("\n");
}

function fullLog(logPath: string): string {
  return `Full log: ${logPath}`;
}

/** `12 problems in 3 files: 7 errors, 4 failing tests, 1 warning`. */
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
