import { type GateOutcome, isRed, hasProblems } from "../gates/outcome.ts";
import type { DigestedFailure } from "./failures.ts";
import { findProject } from "../system/files/find-project.ts";
import { digestGates, type GateText, readGate, type GateReading } from "../feedback/digest.ts";
import type { Environment } from "../system/process/environment.ts";
import type { RunReport, ReportedProblem } from "../report/run-report.ts";
import { secretMasker } from "../system/logs/mask-secrets.ts";
import { isFile } from "../system/files/files.ts";
import { join } from "node:path";
import { readLogFile } from "../system/logs/log-dir.ts";
import type { ReviewReport } from "../gates/review/finding.ts";
import { tellFindings } from "../feedback/block-reason.ts";

/** The useful part of each red gate's output, within one budget; warnings count too. */
export async function digestFailures(
  cwd: string,
  outcomes: readonly GateOutcome[],
  budgetChars: number,
): Promise<readonly DigestedFailure[]> {
  const root = findProject(cwd) ?? cwd;
  const red = outcomes.filter(isRed);
  const readings = await Promise.all(red.map((outcome) => readOutcome(outcome, root)));
  const digests = digestGates(
    readings.map(({ draft }) => draft()),
    budgetChars,
  );
  return red.map((outcome, index) => ({ outcome, digest: digests[index] ?? "" }));
}

/** What every report of a run is made from: the problems of each red gate, read from its log, with secrets hidden. */
export async function collectReport(
  root: string,
  outcomes: readonly GateOutcome[],
  env: Environment,
): Promise<RunReport> {
  const mask = secretMasker(env);
  const problems = await Promise.all(
    outcomes.filter(hasProblems).map(async (outcome): Promise<[string, readonly ReportedProblem[]]> => {
      const { problems: found, old } = await readOutcome(outcome, root);
      const isCompared = outcome.baseline?.kind === "compared";
      const marked = isCompared ? found.map((problem) => ({ ...problem, isNew: true })) : found;
      const known = old.map((problem) => ({ ...problem, isNew: false }));
      return [outcome.id, [...marked, ...known].map((problem) => masked(problem, mask))];
    }),
  );
  return { outcomes, problems: Object.fromEntries(problems) };
}

/** Reads a gate's log once, however many ask: the verdict, the agent, the terminal and the reports. */
export function readOutcome(outcome: GateOutcome, root: string): Promise<ReadOutcome> {
  const reading = readings.get(outcome) ?? readAnew(outcome, root);
  readings.set(outcome, reading);
  return reading;
}

/** A gate's log with what is needed to read it; a review's findings are passed on unchanged. */
export async function gateText(outcome: GateOutcome, root: string): Promise<GateText> {
  const { id, name, workingDirectory, logPath, review, parser } = outcome;
  const place = {
    id,
    name,
    logPath: logPath ?? "",
    projectRoot: root,
    isFile: (path: string) => isFile(join(root, path)),
    workingDirectory,
    parser,
    old: outcome.baseline?.kind === "compared" ? outcome.baseline.old : undefined,
  };
  if (review !== undefined && review.open.length > 0) return { ...place, ...reviewText(review) };
  const text = logPath === undefined ? "" : await readLogFile(join(root, logPath));
  return {
    ...place,
    text,
    report: outcome.report === undefined ? undefined : await readLogFile(join(root, outcome.report)),
  };
}

function masked(problem: ReportedProblem, mask: (text: string) => string): ReportedProblem {
  const { message, test, excerpt } = problem;
  return {
    ...problem,
    message: mask(message),
    test: test === undefined ? undefined : mask(test),
    excerpt: excerpt === undefined ? undefined : mask(excerpt),
  };
}

const readings = new WeakMap<GateOutcome, Promise<ReadOutcome>>();

async function readAnew(outcome: GateOutcome, root: string): Promise<ReadOutcome> {
  const gate = await gateText(outcome, root);
  return { text: gate.text, ...readGate(gate) };
}

/** What a gate printed, and what it means. */
interface ReadOutcome extends GateReading {
  readonly text: string;
}

/** The text only says whether the findings are the same as last time. */
function reviewText(review: ReviewReport): Pick<GateText, "text" | "parser" | "tell"> {
  const text = review.open.map(({ file, issue, result }) => `${file} ${issue} ${result}`).join("\n");
  return { text, parser: "none", tell: (budget) => tellFindings(review, budget) };
}
