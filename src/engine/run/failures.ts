import { isFile } from "../../machine/files/files.ts";
import { join } from "node:path";
import type { ReviewReport } from "../../core/review/finding.ts";
import { gateId } from "../../core/gate.ts";
import type { SessionHistory, Told } from "../../core/record/history.ts";
import type { Judgement } from "../../core/stop/judge.ts";
import { type GateOutcome, hasProblems, isBlocking, isCounted, isRed } from "../../core/outcome.ts";
import type { Progress } from "../../core/settings.ts";
import { blockReason, tellFindings } from "../../feedback/block-reason.ts";
import {
  compareAttempts,
  type Delta,
  describeDelta,
  problemLine,
  fingerprint,
} from "../../feedback/problem.ts";
import { digestGates, type Draft, type GateReading, type GateText, readGate } from "../../feedback/digest.ts";
import { essenceOf } from "../../feedback/text/clean-text.ts";
import { secretMasker } from "../../feedback/text/mask-secrets.ts";
import { findProject } from "../../machine/files/find-project.ts";
import { readLogFile } from "../../machine/logs/log-dir.ts";
import type { Environment } from "../../machine/process/environment.ts";
import { sha256 } from "#runtime";
import type { ReportedProblem, RunReport } from "../../report/run-report.ts";
import type { FinishedRun } from "./conclude.ts";

/** What the logs of the failed gates say, compared with the attempt before. */
export interface Failures {
  /** Absent on the first attempt. */
  readonly progress?: Progress;
  /** What the agent reads, and the session that remembers what it has read. */
  readonly feedback: (judgement: Judgement) => { text: string; session: SessionHistory };
  /** What the user reads when we give up. */
  readonly handoff: () => string;
}

const HANDOFF_CHARS = 400;

/** Reads the logs of the failed gates once, for the verdict, the agent and the user. */
export async function failuresOf(run: FinishedRun): Promise<Failures> {
  const { project, outcomes, planned } = run;
  const { settings, env } = project;
  const before = planned.session.told;
  const failures = await Promise.all(
    outcomes.filter(isBlocking).map((outcome) => knowFailure(outcome, settings.root, before[outcome.id])),
  );
  const mask = secretMasker(env);
  const progress = progressOf(failures, run);
  return {
    ...(progress === undefined ? {} : { progress }),
    feedback: (judgement) => {
      const facts = {
        failures,
        gatesRun: outcomes.filter(isCounted).length,
        attemptsLeft: judgement.attemptsLeft,
        isNextStopFree: isNextStopFree(run),
        fixes: planned.fixes,
      };
      const told = Object.fromEntries(failures.map(({ outcome, told: one }) => [outcome.id, one]));
      return {
        text: mask(blockReason(facts, settings.stopHook.maxReasonChars)),
        session: { ...judgement.session, told: { ...before, ...told } },
      };
    },
    handoff: () => mask(handoffText(failures)),
  };
}

/** By default a host's continuation is let through; the agent must then check for itself. */
function isNextStopFree({ project, request }: FinishedRun): boolean {
  const isCounted = request.budget !== undefined;
  return request.event !== undefined && !isCounted && project.settings.stopHook.whenActive === "allow";
}

/** A failed gate, what it said, and what was known of it before. */
interface KnownFailure {
  readonly outcome: GateOutcome;
  readonly reading: GateReading;
  /** Compared with what the agent read before. */
  readonly draft: Draft;
  readonly told: Told;
  readonly delta?: Delta;
  readonly isUnchanged: boolean;
}

async function knowFailure(
  outcome: GateOutcome,
  root: string,
  before: Told | undefined,
): Promise<KnownFailure> {
  const reading = await readOutcome(outcome, root);
  const problems = reading.problems.map(fingerprint);
  const essence = sha256(problems.length > 0 ? problems.toSorted().join("\n") : essenceOf(reading.text));
  const isCompared = before !== undefined && (before.problems.length > 0 || problems.length > 0);
  const delta = isCompared ? compareAttempts(before.problems, reading.problems) : undefined;
  return {
    outcome,
    reading,
    draft: reading.draft(before?.problems),
    told: { essence, problems, ...(delta === undefined ? {} : { since: describeDelta(delta) }) },
    ...(delta === undefined ? {} : { delta }),
    isUnchanged: before?.essence === essence,
  };
}

/** Compared with the failures this session still had open; without any there is nothing to compare with. */
function progressOf(failures: readonly KnownFailure[], { planned }: FinishedRun): Progress | undefined {
  const open = planned.session.openFailures.map(({ gate }) => gateId(gate));
  if (open.length === 0) return undefined;
  const failing = new Set(failures.map(({ outcome }) => outcome.id));
  const isGateFixed = open.some((id) => !failing.has(id));
  const isAnyGone = failures.some(({ delta }) => delta !== undefined && delta.gone > 0);
  const isSame = !isGateFixed && failures.every(({ isUnchanged }) => isUnchanged);
  return { isSame, isBetter: isGateFixed || isAnyGone };
}

/** One line: the first problem of each gate, and where the rest is. */
function handoffText(failures: readonly KnownFailure[]): string {
  const first = failures.map(({ outcome, reading }) => {
    const [problem] = reading.problems;
    return problem === undefined ? outcome.logPath : firstLine(problemLine(problem, HANDOFF_CHARS));
  });
  return `${first.filter(Boolean).join("; ")} (\`agent-gauntlet explain\` shows the rest)`.slice(
    0,
    HANDOFF_CHARS,
  );
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** A red gate with the useful part of what it printed. */
export interface DigestedFailure {
  readonly outcome: GateOutcome;
  readonly digest: string;
}

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

function masked(problem: ReportedProblem, mask: (text: string) => string): ReportedProblem {
  const { message, test, excerpt } = problem;
  return {
    ...problem,
    message: mask(message),
    ...(test === undefined ? {} : { test: mask(test) }),
    ...(excerpt === undefined ? {} : { excerpt: mask(excerpt) }),
  };
}

/** What a gate printed, and what it means. */
interface ReadOutcome extends GateReading {
  readonly text: string;
}

/** Reads a gate's log once, however many ask: the verdict, the agent, the terminal and the reports. */
export function readOutcome(outcome: GateOutcome, root: string): Promise<ReadOutcome> {
  const reading = readings.get(outcome) ?? readAnew(outcome, root);
  readings.set(outcome, reading);
  return reading;
}

const readings = new WeakMap<GateOutcome, Promise<ReadOutcome>>();

async function readAnew(outcome: GateOutcome, root: string): Promise<ReadOutcome> {
  const gate = await gateText(outcome, root);
  return { text: gate.text, ...readGate(gate) };
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
    ...(parser === undefined ? {} : { parser }),
    ...(outcome.baseline?.kind === "compared" ? { old: outcome.baseline.old } : {}),
  };
  if (review !== undefined && review.open.length > 0) return { ...place, ...reviewText(review) };
  const text = logPath === undefined ? "" : await readLogFile(join(root, logPath));
  return {
    ...place,
    text,
    ...(outcome.report === undefined ? {} : { report: await readLogFile(join(root, outcome.report)) }),
  };
}

/** The text only says whether the findings are the same as last time. */
function reviewText(review: ReviewReport): Pick<GateText, "text" | "parser" | "tell"> {
  const text = review.open.map(({ file, issue, result }) => `${file} ${issue} ${result}`).join("\n");
  return { text, parser: "none", tell: (budget) => tellFindings(review, budget) };
}
