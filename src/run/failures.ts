import type { Progress } from "../config/settings.ts";
import type { Judgement } from "../stop/judge.ts";
import type { RetryState, Told } from "../stop/retry-state.ts";
import type { FinishedRun } from "./conclude.ts";
import { isBlocking, isCounted, type GateOutcome } from "../gates/outcome.ts";
import { secretMasker } from "../system/logs/mask-secrets.ts";
import { blockReason } from "../feedback/block-reason.ts";
import type { GateReading, Draft } from "../feedback/digest.ts";
import { type Delta, fingerprint, compareAttempts, describeDelta, problemLine } from "../feedback/problem.ts";
import { readOutcome } from "./read-outcome.ts";
import { sha256 } from "#runtime";
import { essenceOf } from "../feedback/text/clean-text.ts";
import { gateId } from "../gates/gate.ts";

export { collectReport, digestFailures } from "./read-outcome.ts";
export { rerunFailed } from "./reruns.ts";

export interface Failures {
  /** Absent on the first attempt. */
  readonly progress?: Progress;
  readonly feedback: (judgement: Judgement) => { text: string; retries: RetryState };
  readonly handoff: () => string;
}

const HANDOFF_CHARS = 400;

/** Reads the logs of the failed gates once, for the verdict, the agent and the user. */
export async function failuresOf(run: FinishedRun): Promise<Failures> {
  const { project, outcomes, planned } = run;
  const { settings, env } = project;
  const before = planned.retries.told;
  const failures = await Promise.all(
    outcomes.filter(isBlocking).map((outcome) => knowFailure(outcome, settings.root, before[outcome.id])),
  );
  const mask = secretMasker(env);
  const progress = progressOf(failures, run);
  return {
    progress,
    feedback: (judgement) => {
      const facts = {
        failures,
        gatesRun: outcomes.filter(isCounted).length,
        attempt: judgement.retries.attempts,
        attemptsLeft: judgement.attemptsLeft,
        isNextStopFree: isNextStopFree(run),
        fixes: planned.fixes,
      };
      const told = Object.fromEntries(failures.map(({ outcome, told: one }) => [outcome.id, one]));
      return {
        text: mask(blockReason(facts, settings.stopHook.maxReasonChars)),
        retries: { ...judgement.retries, told: { ...before, ...told } },
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

interface KnownFailure {
  readonly outcome: GateOutcome;
  readonly reading: GateReading;
  readonly draft: Draft;
  readonly told: Told;
  readonly delta?: Delta;
  readonly isUnchanged: boolean;
  readonly isLog: boolean;
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
    told: { essence, problems, since: delta === undefined ? undefined : describeDelta(delta) },
    delta,
    isUnchanged: before?.essence === essence,
    isLog: problems.length === 0 && outcome.review === undefined,
  };
}

/** Compared with the failures this session still had open; without any there is nothing to compare with. */
function progressOf(failures: readonly KnownFailure[], { planned }: FinishedRun): Progress | undefined {
  const open = planned.retries.openFailures.map(({ gate }) => gateId(gate));
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

export interface DigestedFailure {
  readonly outcome: GateOutcome;
  readonly digest: string;
}
